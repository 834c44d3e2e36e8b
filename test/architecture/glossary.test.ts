import fs from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'
import { packageFolder } from './pages.ts'

/** Words with more than one row in the tables of the page. */
function explainedTwice(page: string): string[] {
  const tables = page.split(/\n\n+/).filter((part) => part.startsWith('| word |'))
  const rows = tables.flatMap((table) => table.split('\n').slice(2))
  const words = rows.flatMap((row) => row.split('|')[1]!.split(',')).map((word) => word.trim())
  return words.filter((word, at) => words.indexOf(word) < at)
}

it('the glossary has one row per word', () => {
  const page = fs.readFileSync(path.join(packageFolder, 'docs/reference/glossary.md'), 'utf8')
  expect(page.split('| word |').length).toBeGreaterThan(5)
  expect(explainedTwice(page)).toEqual([])
})

it('a word with two rows is reported', () => {
  const table = (...rows: string[]) => ['| word | meaning |', '|---|---|', ...rows].join('\n')
  const page = [
    table('| way | x |', '| step, stride | y |'),
    '| name | z |\n|---|---|\n| way | z |',
    table('| step | z |'),
  ]
  expect(explainedTwice(page.join('\n\n'))).toEqual(['step'])
})
