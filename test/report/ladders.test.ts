import { describe, expect, test } from 'vitest'
import type { Finding } from '../../src/contract/results.ts'
import { ladderLines, ladderTable } from '../../src/report/ladder-lines.ts'
import { laddersOf } from '../../src/report/ladders.ts'
import { broken, pair, violation } from './made-up-results.ts'

const plan = {
  name: 'steps',
  steps: [
    { step: 'naive', implementation: '001-get-set' },
    { step: 'reference', implementation: 'reference' },
    { step: 'never run', implementation: 'other' },
  ],
}
const crashes = { scenario: 'only-crashes', onlyFaults: ['crash'] }
const duplicate = violation({ kind: 'duplicate', finding: 'F1' })

const finding = (needs: string[]): Finding => ({
  ...violation(),
  id: 'F1',
  implementation: '001-get-set',
  sink: 'plain',
  cause: { invariant: 'at-most-once', kind: 'duplicate', path: [], needs },
  runs: 1,
  seenIn: [],
  shrunk: true,
  scenario: 'only-crashes',
})

describe('a ladder', () => {
  const pairs = [
    broken({
      ...crashes,
      runs: 3,
      violations: [duplicate],
      invariants: { 'same-result': { verdict: 'n/a', runsViolated: 0 } },
    }),
    pair({ ...crashes, runs: 250 }),
  ]
  const [ladder] = laddersOf([plan], { pairs, findings: [finding(['crash'])] })

  test('has a step for each layer that was run', () => {
    expect(ladder!.steps.map(({ step, duplicate }) => [step, duplicate])).toEqual([
      ['naive', 'nothing'],
      ['reference', 'the result'],
    ])
    expect(ladder!.steps[0]!.cells).toEqual([
      {
        scenario: 'only-crashes',
        verdict: 'violated',
        runs: 3,
        broke: { invariant: 'at-most-once', kind: 'duplicate', withoutFault: false, replay: duplicate.replay },
      },
    ])
  })

  test('is the same table on a terminal and on a page', () => {
    expect(ladderLines(ladder!, { colours: false })).toEqual([
      'what each step buys',
      '            crashes',
      '  naive     ✕ 3',
      '  reference ✓ 250',
      '',
    ])
    expect(ladderTable(ladder!).split('\n')).toEqual([
      '| step | adapter | `only-crashes` | a duplicate is told |',
      '|---|---|---|---|',
      '| naive | `001-get-set` | ✗ duplicate (3) | nothing |',
      '| reference | `reference` | ✓ 250 | the result |',
    ])
  })

  test('says where a layer breaks without a fault', () => {
    const [other] = laddersOf([plan], { pairs, findings: [finding([])] })
    expect(ladderLines(other!, { colours: false })[2]).toBe('  naive     ✕ 3 *')
    expect(ladderTable(other!)).toContain('✗ duplicate (3), even without a fault')
  })

  test('is of pure scenarios and plain sinks only', () => {
    const others = [broken({ scenario: 'crash-mid-logic' }), broken({ ...crashes, sink: 'keyed' })]
    expect(laddersOf([plan], { pairs: others, findings: [] })).toEqual([])
  })

  test('tells of several ways to break the worst', () => {
    const late = violation({ invariant: 'bounded-stall', kind: 'retry-goes-on' })
    const both = [broken({ ...crashes, violations: [late, duplicate] })]
    const [told] = laddersOf([plan], { pairs: both, findings: [] })
    expect(told!.steps[0]!.cells[0]!.broke).toMatchObject({ kind: 'duplicate' })
  })
})
