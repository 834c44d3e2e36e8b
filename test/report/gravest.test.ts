import { describe, expect, test } from 'vitest'
import { FirstViolation } from '../../src/campaign/conduct/first-violation.ts'
import { pairResult } from '../../src/campaign/results/pair-result.ts'
import { emptyTally } from '../../src/campaign/tally/tally.ts'
import { invariantNames } from '../../src/contract/api/verdict.ts'
import type { Results } from '../../src/contract/results/results.ts'
import { worstOf } from '../../src/report/figures.ts'
import { breaksInOrder } from '../../src/report/page/findings.ts'
import { headlineOf } from '../../src/report/page/headline.ts'
import { pair, results, violation } from './made-up-results.ts'

/** The less severe violations are smaller, and come first in every other order. */
const lesser = violation({
  invariant: 'same-result',
  kind: 'different-result',
  sentence: 'another result',
  faultCount: 0,
  eventCount: 1,
})
const deadLettered = violation({
  invariant: 'no-needless-park',
  kind: 'fault-free-effects',
  faultCount: 0,
  eventCount: 2,
})
const twice = violation({ sentence: 'applied twice', faultCount: 3, eventCount: 900 })

const broken = (violations = [lesser, deadLettered, twice]) =>
  pairResult({
    scenario: { invariants: invariantNames, goals: [], assumptions: [] },
    implementation: { id: 'mine' },
    tally: { ...emptyTally(), runs: 1 },
    violations,
    sink: 'plain',
    runsRequested: 1,
    goalReasons: {},
    notes: [],
    failure: null,
    cutShort: null,
  } as never)

const headline = (violations = [lesser, deadLettered, twice], about: Partial<Results> = {}, expect?: 'broken') =>
  headlineOf(
    results({
      pairs: [{ ...pair(), ...broken(violations), implementation: 'mine', scenario: 's', ...(expect && { expect }) }],
      findings: [],
      exitCode: 1,
      ...about,
    }),
  )

describe('the most severe violation', () => {
  test('is shown in the reason, the headline, the lists and the first story', () => {
    const result = broken()
    expect(result.reason).toBe('applied twice')
    expect(result.violations.map(({ invariant }) => invariant)).toEqual([
      'at-most-once',
      'same-result',
      'no-needless-park',
    ])
    expect(worstOf(result)?.sentence).toBe('applied twice')
    expect(breaksInOrder({ pairs: [result], findings: [] })[0]?.cause.invariant).toBe('at-most-once')
    expect(headline().title).toContain('A side effect can happen twice')
  })

  test('is another one if no effect happened twice', () => {
    expect(broken([deadLettered, lesser]).reason).toBe('another result')
    expect(headline([deadLettered, lesser]).title).toContain('A duplicate can get another result')
  })

  test('is the headline of a layer that is expected to break if the command ends as violated', () => {
    expect(headline(undefined, {}, 'broken')).toMatchObject({ tone: 'violated' })
    expect(headline(undefined, { exitCode: 0 }, 'broken')).toMatchObject({ tone: 'expected' })
  })

  test('is reported first with --bail, from the run at which the campaign stops', () => {
    const reported: string[] = []
    const first = {
      run: 0,
      digest: '00000000',
      trail: { stepCount: 1, trail: 'A', digest: '' },
      key: 'k',
      sentence: '',
      eventCount: 1,
    }
    const path = (invariant: string) => [invariant, { invariant, kind: 'k', path: [], first, runs: [0], checked: [] }]
    const tally = { ...emptyTally(), paths: new Map([path('same-result'), path('at-most-once')] as never) }
    const look = new FirstViolation(
      { cheaper: [] } as never,
      {
        firstViolation: ({ invariant }: { invariant: string }) => reported.push(invariant),
        executor: { shrink: () => Promise.reject(new Error('not asked')) },
      } as never,
    )
    look.look(playedPair(tally))
    expect(reported).toEqual(['at-most-once'])
  })
})

function playedPair(tally: unknown) {
  const scenario = { id: 's', plans: { generate: () => ({ value: { faults: [] } }) } }
  return {
    pair: { scenario, implementation: { implementation: { id: 'mine' } } },
    plan: { choice: { runMs: 1 } },
    progress: {
      tally,
      task: { seed: 1, scenarioName: 's', sink: 'plain', implementationPath: 'mine', implementationName: 'mine' },
    },
  } as never
}
