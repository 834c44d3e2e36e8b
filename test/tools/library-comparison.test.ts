import { describe, expect, it } from 'vitest'
import type { PairResult } from '../../src/contract/results/results.ts'
import { allAsked, questions } from '../../tools/library-comparison/asked.ts'
import { comparisonPage } from '../../tools/library-comparison/comparison-page.ts'
import { allFacts, type LibraryFacts } from '../../tools/library-comparison/library-facts.ts'
import { pair, violation } from '../report/made-up-results.ts'
import { page, reported } from './comparison-page.ts'

const library: LibraryFacts = {
  id: 'a-lock',
  impl: 'a-lock',
  packages: ['lock 1.2.3'],
  promises: 'One holder at a time.',
  saidIn: 'README.',
  used: 'Defaults.',
  left: [
    { asked: 'crash', beyond: true, sentence: 'a lock is no memory (README).' },
    { asked: 'copies', beyond: false, sentence: 'the README says never.' },
    { asked: 'keys', beyond: true, sentence: 'nothing is removed (README).' },
  ],
}

const cell = (scenario: string, changes: Partial<PairResult> = {}) =>
  pair({ implementation: 'a-lock', scenario, runs: 100, ...changes })
const brokenCell = (scenario: string, changes: Parameters<typeof violation>[0] = {}) =>
  cell(scenario, { verdict: 'violated', violations: [violation(changes)] })
const keys = { invariant: 'no-immortal-keys', kind: 'grows', replay: 'pnpm sim replay op2_keys' } as const

const pageOf = (pairs: readonly PairResult[], why: string | null = null) =>
  comparisonPage([library], { pairs, seed: 1 }, 100, () => why)
const rowOf = (page: string) =>
  page
    .split('\n')
    .find((line) => line.startsWith('| [`a-lock`]'))!
    .split('|')
    .slice(2, -1)
    .map((text) => text.trim())
const answers = (page: string) => Object.fromEntries(allAsked.map((asked, at) => [asked, rowOf(page)[at]]))

describe('the library comparison', () => {
  it('lists the cells that hold, that break with or without a documented reason, that are unknown, and that do not apply', () => {
    const page = pageOf([
      cell(questions.pause),
      brokenCell(questions.crash),
      brokenCell(questions.copies, { kind: 'duplicate', run: 3, faultCount: 2 }),
      cell(questions.expiry, { verdict: 'unknown', reason: 'no run reached the goal', goals: { 'a-goal': 0 } }),
    ])
    expect(answers(page)).toMatchObject({
      pause: '✓ 100',
      crash: '✗ repeat-after-crash °',
      copies: '✗ duplicate',
      expiry: '?',
      failover: 'n/a',
      keys: 'none',
    })
    for (const part of [
      '**copies**: `at-most-once` (duplicate) in run 4, with 2 faults. Against its documentation: the README says never.',
      '**crash**: `at-most-once` (repeat-after-crash) in run 313, with 1 fault. Beyond its documentation: a lock is no memory (README).',
      '**expiry**: no verdict. no run reached the goal',
      'lock 1.2.3.',
      '**Promises.** One holder at a time.',
      '```\npnpm sim replay op2_Zm9vYmFyYmF6cXV4\n```',
    ])
      expect(page).toContain(part)
  })

  it('distinguishes versions that break in the same way for different reasons', () => {
    const libraries = ['lock-1', 'lock-2', 'lock-3'].map((id) => ({ ...library, id, impl: id }))
    const pairs = libraries.map(({ id }) => ({ ...brokenCell(questions.crash), implementation: id }))
    const whys: Readonly<Record<string, string>> = {
      'lock-1': 'the claim expired after 10 s',
      'lock-2': 'nobody asked',
      'lock-3': 'the claim expired after 500 ms',
    }
    const page = comparisonPage(libraries, { pairs, seed: 1 }, 100, (_, impl) => whys[impl]!)
    const marks = libraries.map(
      ({ id }) =>
        page
          .split('\n')
          .find((line) => line.startsWith(`| [\`${id}\``))!
          .split('|')[3],
    )
    expect(marks.map((one) => one!.trim().at(-1))).toEqual(['a', 'b', 'a'])
  })

  it('gives the reason of a violation if the run has one', () => {
    const page = pageOf([brokenCell(questions.crash)], 'the process died')
    expect(page).toContain('in run 313, with 1 fault: the process died. Beyond its documentation: a lock is no memory')
  })

  it('shows the keys left in Redis in a separate column, and in no other', () => {
    const page = pageOf([brokenCell(questions.pause, keys), cell(questions.expiry)])
    expect(answers(page)).toMatchObject({ pause: '✓ 100', expiry: '✓ 100', keys: '✗ °' })
    expect(page).toContain('**keys**: `no-immortal-keys` (grows)')
  })

  it('does not call a cell unknown if only its leftover keys could not be judged', () => {
    const invariants = { ...pair().invariants, 'no-immortal-keys': { verdict: 'unknown', runsViolated: 0 } } as const
    const reason = 'no-immortal-keys could not be judged'
    const page = pageOf([cell(questions.pause, { verdict: 'unknown', reason, invariants })])
    expect(answers(page)).toMatchObject({ pause: '✓ 100', keys: '?' })
    expect(page).toContain(`**keys**: no verdict. ${reason}`)
  })

  it('lists the open invariants of a run that was not judged completely', () => {
    const invariants = { ...pair().invariants, 'at-most-once': { verdict: 'unknown', runsViolated: 0 } } as const
    const page = pageOf([cell(questions.expiry, { verdict: 'violated', violations: [violation(keys)], invariants })])
    expect(answers(page)).toMatchObject({ expiry: '?', keys: '✗ °' })
    expect(page).toContain('**expiry**: no verdict. at-most-once could not be judged in all of 100 runs')
  })

  it('is refused if a header does not explain a violation', () => {
    expect(() => pageOf([brokenCell(questions.loss)])).toThrow(
      'a-lock: it broke when asked for loss, and "Left:" does not say why',
    )
  })
})

describe('docs/findings/library-comparison.md', () => {
  it('has a row and a section for every adapter, from its current header', () => {
    for (const { id, packages, promises, saidIn, used } of allFacts()) {
      expect(page).toContain(`| [\`${id}\`](#${id}) |`)
      expect(page).toContain(
        `## ${id}\n\n${packages.join(', ')}.\n\n**Promises.** ${promises}\n\n**Said in.** ${saidIn}\n\n**Used.** ${used}\n`,
      )
    }
  })

  it('has a token for every violation, and a violation for every sentence of a header about one', () => {
    const marks = page
      .split('\n')
      .filter((line) => line.startsWith('| [`'))
      .join('')
      .match(/✗/g)
    expect(reported).toHaveLength(marks!.length)
    const left = allFacts().flatMap(({ id, left }) => left.map(({ asked }) => `${id} ${asked}`))
    expect(reported.map(({ id, asked }) => `${id} ${asked}`).sort()).toEqual(left.sort())
  })
})
