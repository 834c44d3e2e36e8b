import { describe, expect, test } from 'vitest'
import { ablationLines, ablationMarkdown } from '../../src/report/ablation-lines.ts'
import { ablationTablesOf } from '../../src/report/ablation-tables.ts'
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
const duplicate = violation({ kind: 'duplicate', run: 2 })

describe('an ablation table', () => {
  const pairs = [
    broken({
      ...crashes,
      runs: 250,
      violations: [duplicate],
      invariants: { 'same-result': { verdict: 'n/a', runsViolated: 0 } },
    }),
    pair({ ...crashes, runs: 250 }),
  ]
  const [table] = ablationTablesOf([plan], { pairs }, [])

  test('has a step for each layer that was played', () => {
    expect(table!.steps.map(({ step, duplicate }) => [step, duplicate])).toEqual([
      ['naive', 'nothing'],
      ['reference', 'the result'],
    ])
    expect(table!.steps[0]!.cells).toEqual([
      {
        scenario: 'only-crashes',
        verdict: 'violated',
        runs: 250,
        broke: {
          invariant: 'at-most-once',
          kind: 'duplicate',
          inRuns: 3,
          withoutFault: false,
          replay: duplicate.replay,
        },
      },
    ])
  })

  test('is the same on a terminal and on a page', () => {
    expect(ablationLines(table!, { colours: false })).toEqual([
      'what each step gains',
      '            crashes',
      '  naive     ✕ 3',
      '  reference ✓ 250',
      '',
    ])
    expect(ablationMarkdown(table!).split('\n')).toEqual([
      '| step | adapter | `only-crashes` | a duplicate gets |',
      '|---|---|---|---|',
      '| naive | `001-get-set` | ✗ duplicate (3) | nothing |',
      '| reference | `reference` | ✓ 250 | the result |',
    ])
  })

  test('counts runs up to the first one of the worst kind, whichever run is shown', () => {
    const inRuns = (...more: Parameters<typeof violation>[0][]) => {
      const violations = [violation({ kind: 'duplicate', run: 40, runs: [40, 41] }), ...more.map(violation)]
      const pairs = [broken({ ...crashes, violations })]
      return ablationTablesOf([plan], { pairs }, [])[0]!.steps[0]!.cells[0]!.broke!.inRuns
    }
    expect(inRuns()).toBe(41)
    // Another path, with more faults.
    expect(inRuns({ kind: 'duplicate', run: 6, runs: [6, 90] })).toBe(7)
    // Another kind, and another invariant.
    expect(inRuns({ kind: 'zombie', run: 3, runs: [3] })).toBe(41)
    expect(inRuns({ invariant: 'same-result', kind: 'different-result', run: 1, runs: [1] })).toBe(41)
  })

  test('marks a layer that breaks without a fault', () => {
    const faultless = [broken({ ...crashes, violations: [{ ...duplicate, needsNoFault: true }] }), pairs[1]!]
    const [other] = ablationTablesOf([plan], { pairs: faultless }, [])
    expect(ablationLines(other!, { colours: false })[2]).toBe('  naive     ✕ 3 *')
    expect(ablationMarkdown(other!)).toContain('✗ duplicate (3), even without a fault')
    const late = violation({ invariant: 'bounded-stall', kind: 'retry-goes-on', run: 7, runs: [7] })
    const both = [broken({ ...crashes, violations: [{ ...duplicate, needsNoFault: true }, late] }), pairs[1]!]
    const [charged] = ablationTablesOf([plan], { pairs: both }, [])
    expect(ablationMarkdown(charged!)).toContain('✗ retry-goes-on (8)')
  })

  test('has only pure scenarios and plain sinks', () => {
    const others = [broken({ scenario: 'crash-mid-logic' }), broken({ ...crashes, sink: 'keyed' })]
    expect(ablationTablesOf([plan], { pairs: others }, [])).toEqual([])
  })

  test('has its columns in the requested order, and others after them', () => {
    const names = ['only-b', 'only-c', 'only-a']
    const several = names.map((scenario) => pair({ ...crashes, scenario }))
    const [reported] = ablationTablesOf([plan], { pairs: several }, ['only-c'])
    expect(reported!.steps[0]!.cells.map(({ scenario }) => scenario)).toEqual(['only-c', 'only-a', 'only-b'])
  })

  test('shows the worst of several kinds', () => {
    const late = violation({ invariant: 'bounded-stall', kind: 'retry-goes-on' })
    const both = [broken({ ...crashes, violations: [late, duplicate] })]
    const [reported] = ablationTablesOf([plan], { pairs: both }, [])
    expect(reported!.steps[0]!.cells[0]!.broke).toMatchObject({ kind: 'duplicate' })
  })
})
