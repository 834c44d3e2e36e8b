import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { expect, it } from 'vitest'
import { findTokens, replaceToken } from '../../tools/tokens/find-tokens.ts'
import { hasAll } from '../../tools/tokens/version.ts'

function repository(files: Readonly<Record<string, string>>): string {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'tokens-'))
  for (const [name, text] of Object.entries(files)) {
    fs.mkdirSync(path.dirname(path.join(folder, name)), { recursive: true })
    fs.writeFileSync(path.join(folder, name), text)
  }
  return folder
}

it('finds each token once, with all files that show it', () => {
  const folder = repository({
    'README.md': 'pnpm sim replay op2_abc',
    'docs/deep/a.md': '`op2_abc` and op2_abc-d',
    'src/x.ts': 'op2_not_shown',
  })
  const found = findTokens(folder)
  expect(found).toEqual(
    new Map([
      ['op2_abc', ['README.md', 'docs/deep/a.md']],
      ['op2_abc-d', ['docs/deep/a.md']],
    ]),
  )
})

it('writes a token in the place of another one, and leaves one alone that only begins like it', () => {
  const folder = repository({ 'docs/a.md': 'op2_abc op2_abc-d op2_abcd' })
  replaceToken(folder, ['docs/a.md'], 'op2_abc', 'op2_new')
  expect(fs.readFileSync(path.join(folder, 'docs/a.md'), 'utf8')).toBe('op2_new op2_abc-d op2_abcd')
})

it('takes a run for the same cause only where it breaks in every way that the other one broke in', () => {
  const ways = ['at-most-once zombie', 'no-false-done done-without-effect']
  expect(hasAll(ways, ways.slice(0, 1))).toBe(true)
  expect(hasAll(ways.slice(0, 1), ways)).toBe(false)
})
