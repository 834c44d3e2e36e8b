import fs from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'

const ids = fs
  .readdirSync('scenarios')
  .filter((name) => name.endsWith('.ts'))
  .map((name) => path.basename(name, '.ts'))

/** Names in the first cells of the tables. */
function namesIn(page: string): string[] {
  const rows = page.split('\n').filter((line) => line.startsWith('| `'))
  return rows.flatMap((row) => [...row.split('|')[1]!.matchAll(/`([^`]+)`/g)].map(([, name]) => name!))
}

it('docs/reference/scenarios.md has one row for each scenario', () => {
  const page = fs.readFileSync('docs/reference/scenarios.md', 'utf8')
  expect(namesIn(page).sort()).toEqual(ids.sort())
  expect(namesIn(page.replace('| `everything` |', '| everything |'))).not.toContain('everything')
})
