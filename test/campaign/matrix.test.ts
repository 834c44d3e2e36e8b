import { describe, expect, test } from 'vitest'
import { runCampaign } from '../../src/campaign/conduct/campaign.ts'
import type { CampaignRequest, PairPlan } from '../../src/campaign/play/campaign-request.ts'
import type { CampaignDeps } from '../../src/campaign/types.ts'
import { fakeBench, fakeContext, type Misbehaviour } from './fake-deps.ts'

const choiceOf = (name: string, sink: 'plain' | 'keyed' = 'plain') => ({
  scenarioPath: 'fake',
  scenarioName: 'fake-crash',
  sink,
  corpus: [],
  runMs: 1,
  implementationPath: name,
  implementationName: name,
})

const cell = (name: string, runs = 60, sink: 'plain' | 'keyed' = 'plain'): PairPlan => ({
  choice: choiceOf(name, sink),
  bound: { runs },
  until: 'at-most-once',
})

/** `broken-…` declares that it is broken. The control always breaks. */
function deps(how: Misbehaviour): CampaignDeps {
  const [theirs, controls] = [fakeBench(how), fakeBench()]
  return {
    ...theirs,
    runWorld: (request) => (request.implementation.path === 'control' ? controls : theirs).runWorld(request),
    loadImplementation: async (path) => {
      const loaded = await theirs.loadImplementation(path)
      const expect = path.startsWith('broken') ? ('broken' as const) : ('holds' as const)
      return { ...loaded, implementation: { ...loaded.implementation, expect } }
    },
  }
}

function play(cells: readonly PairPlan[], how: Misbehaviour = {}) {
  const request: CampaignRequest = {
    pairs: cells,
    control: choiceOf('control'),
    layers: 'as-declared',
    seed: 1,
    bail: false,
    cheaper: [],
    reports: 'reports',
    explain: { layer: 50_000, path: 5_000, checks: 0 },
  }
  return runCampaign(request, fakeContext(deps(how)))
}

describe('a matrix', () => {
  test('exits with 0 if a layer that declares itself broken breaks', async () => {
    const { exitCode, pairs } = await play([cell('broken-lock')])
    expect(pairs[0]!.verdict).toBe('violated')
    expect(exitCode).toBe(0)
  })

  test('finishes a cell once at-most-once is violated', async () => {
    const { pairs, findings } = await play([cell('broken-lock', 500)])
    expect(pairs[0]!.runs).toBeLessThan(100)
    expect(pairs[0]!.violations[0]).toMatchObject({ invariant: 'at-most-once', finding: 'F1' })
    expect(findings[0]).toMatchObject({ cause: { invariant: 'at-most-once' }, faultCount: 1 })
  })

  test('plays all runs of a layer that holds', async () => {
    const { exitCode, pairs } = await play([cell('sound')], { sound: true })
    expect(pairs[0]).toMatchObject({ verdict: 'pass', runs: 60 })
    expect(exitCode).toBe(0)
  })

  test('exits with 1 if a layer breaks that should hold', async () => {
    expect((await play([cell('sound'), cell('broken-lock')])).exitCode).toBe(1)
  })

  test('exits with 3 if a layer that declares itself broken survives, and explains that either may be wrong', async () => {
    const { exitCode, harnessFailure } = await play([cell('broken-lock'), cell('broken-lock', 60, 'keyed')], {
      sound: true,
    })
    expect(exitCode).toBe(3)
    expect(harnessFailure).toBe(
      'broken-lock declares itself broken but survived 120 runs of 2 cells; the declaration or the harness is wrong',
    )
  })

  test('lets a layer that declares itself broken survive a pure scenario', async () => {
    const { exitCode, harnessFailure } = await play([cell('broken-lock')], {
      sound: true,
      onlyFaults: ['crash', 'pause'],
    })
    expect(harnessFailure).toBeNull()
    expect(exitCode).toBe(0)
  })

  test('marks a violation in a pure scenario that needs none of its faults', async () => {
    const marksOf = async (how: Misbehaviour) => {
      const { pairs } = await play([cell('broken-lock')], { onlyFaults: ['crash', 'pause'], ...how })
      return pairs[0]!.violations.map(({ needsNoFault }) => needsNoFault)
    }
    expect(await marksOf({})).toEqual([undefined])
    expect(await marksOf({ alwaysBreaks: true })).toEqual([true])
  })

  test('is unknown if a sound layer misses a goal, but not if a broken one does', async () => {
    expect((await play([cell('sound')], { sound: true, neverReaches: true })).exitCode).toBe(4)
    expect((await play([cell('broken-lock')], { neverReaches: true })).exitCode).toBe(0)
  })

  test('is unknown even for a broken layer if something is not simulated', async () => {
    expect((await play([cell('broken-lock')], { unsupported: ['FCALL'] })).exitCode).toBe(4)
  })

  test('sorts pairs by layer, scenario and sink', async () => {
    const { pairs } = await play([cell('b', 20, 'keyed'), cell('b', 20), cell('a', 20)], { sound: true })
    expect(pairs.map(({ implementation, sink }) => `${implementation} ${sink}`)).toEqual([
      'a plain',
      'b plain',
      'b keyed',
    ])
  })
})
