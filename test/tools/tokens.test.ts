import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import type { RecordedRun } from '../../src/campaign/token/token.ts'
import { findTokens, replaceToken } from '../../tools/tokens/find-tokens.ts'
import { program } from '../../tools/tokens/maker.ts'
import type { Made } from '../../tools/tokens/maker-child.ts'
import { renew } from '../../tools/tokens/renew.ts'
import { hasAll, type Version } from '../../tools/tokens/version.ts'

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

it('replaces a token, but not a longer token with the same start', () => {
  const folder = repository({ 'docs/a.md': 'op2_abc op2_abc-d op2_abcd' })
  replaceToken(folder, ['docs/a.md'], 'op2_abc', 'op2_new')
  expect(fs.readFileSync(path.join(folder, 'docs/a.md'), 'utf8')).toBe('op2_new op2_abc-d op2_abcd')
})

it('accepts a run as the same cause only if it breaks in every way of the other run', () => {
  const ways = ['at-most-once zombie', 'no-false-done done-without-effect']
  expect(hasAll(ways, ways.slice(0, 1))).toBe(true)
  expect(hasAll(ways.slice(0, 1), ways)).toBe(false)
})

it('names an existing program for the version that made the tokens', () => {
  expect(fs.existsSync(new URL(program, new URL('../../bench/children.ts', import.meta.url)))).toBe(true)
})

describe('a token that no longer follows its path', () => {
  const run = { implementation: 'new-layer', scenario: 'only-pauses', stepCount: 7 } as RecordedRun
  const now = {
    decode: () => run,
    pairOf: () => Promise.resolve({}),
    play: () => Promise.resolve({ way: { stepCount: 8 }, ways: [], choices: null }),
  } as unknown as Version
  const asked = (answer: () => Promise<Made | null>) => renew('op2_abc', now, answer)

  it('is reported with its layer if the checkout has no such layer, or cannot be asked', async () => {
    const lacks = { run, cause: null, lacks: 'layer new-layer' }
    expect(await asked(() => Promise.resolve(lacks))).toEqual({
      fate: 'failed',
      text: 'new-layer under only-pauses: op2_abc: the given checkout has no layer new-layer',
    })
    expect(await asked(() => Promise.reject(new Error('its program ended\n  at x.ts:1')))).toEqual({
      fate: 'failed',
      text: 'new-layer under only-pauses, op2_abc: its program ended',
    })
  })

  it('is distinguished from a token that breaks nothing there, and from one that follows', async () => {
    expect((await asked(() => Promise.resolve({ run, cause: null })))?.text).toContain('does not follow it either')
    const same = { ...now, play: () => Promise.resolve({ way: { stepCount: 7 }, ways: [], choices: null }) }
    const ask = () => Promise.reject(new Error('is not asked'))
    expect(await renew('op2_abc', same as unknown as Version, ask)).toMatchObject({ fate: 'kept' })
  })
})
