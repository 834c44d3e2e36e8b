/** Plays layers in scenarios that have the facts of a risk, and checks what the risk excuses. */
import { describe, expect, it } from 'vitest'
import type { LoadedPair } from '../../../src/campaign/play/load-pair.ts'
import { runChunk } from '../../../src/campaign/play/run-chunk.ts'
import { emptyTally } from '../../../src/campaign/tally/tally.ts'
import type { CampaignDeps } from '../../../src/campaign/types.ts'
import { createDeps } from '../../../src/cli/create-deps.ts'
import { type RiskName, riskNames } from '../../../src/contract/api/risk.ts'
import type { SinkKind } from '../../../src/contract/api/sink.ts'
import { pairById } from '../../scenarios/pair-by-id.ts'

const usual = createDeps(() => false)
/** The layers accept no risk by themselves. */
const deps: CampaignDeps = {
  ...usual,
  loadImplementation: async (file) => {
    const loaded = await usual.loadImplementation(file)
    return { ...loaded, implementation: { ...loaded.implementation, accepts: [] } }
  },
}

interface Case {
  readonly risk: RiskName
  readonly layer: string
  readonly scenario: string
  readonly sink: SinkKind
  readonly runs: number
}

const play = async ({ layer, scenario, sink, runs }: Omit<Case, 'risk'>, accepts: readonly RiskName[]) => {
  const { task } = await pairById(layer, scenario, deps)
  const accepted = accepts.map((what) => ({ what, because: 'we know' }))
  return runChunk({ ...task, sink, accepts: accepted, from: 0, to: runs, bail: false }, deps)
}

const brokenRuns = ({ paths }: Awaited<ReturnType<typeof play>>) => {
  const runs = new Set([...paths.values()].flatMap((path) => path.runs))
  return [...runs].sort((a, b) => a - b)
}

const correct: readonly Case[] = [
  { risk: 'redis-data-loss', layer: 'repaired-set-nx-marker', scenario: 'redis-restart', sink: 'plain', runs: 10 },
  { risk: 'redis-data-loss', layer: 'marker-before-plain-sink', scenario: 'eviction', sink: 'plain', runs: 40 },
  {
    ...{ risk: 'asynchronous-failover', layer: 'record-in-the-effects-transaction' },
    ...{ scenario: 'postgres-async-failover', sink: 'transactional', runs: 10 },
  },
  { risk: 'asynchronous-failover', layer: 'marker-before-plain-sink', scenario: 'split-brain', sink: 'plain', runs: 4 },
  { risk: 'sink-forgets', layer: 'lock-before-keyed-sink', scenario: 'too-old-meanwhile', sink: 'keyed', runs: 10 },
  {
    ...{ risk: 'copies-after-retention', layer: 'marker-before-plain-sink' },
    ...{ scenario: 'stale-message', sink: 'plain', runs: 10 },
  },
]

describe.each(correct)('$layer under $scenario', (one) => {
  it(`holds if ${one.risk} is accepted, and is violated in the same runs otherwise`, async () => {
    const strict = await play(one, [])
    const mild = await play(one, [one.risk])
    expect(brokenRuns(strict).length).toBeGreaterThan(0)
    expect(strict.risks.size).toBe(0)
    expect(brokenRuns(mild)).toEqual([])
    const explained = new Set([...mild.risks.values()].flatMap(({ runs }) => runs))
    expect([...explained].sort((a, b) => a - b)).toEqual(brokenRuns(strict))
    expect(new Set([...mild.risks.values()].flatMap(({ risks }) => risks))).toEqual(new Set([one.risk]))
    expect(mild.digests).toEqual(strict.digests)
  })

  it('is violated if all other risks are accepted', async () => {
    const others = riskNames.filter((name) => name !== one.risk && name !== 'copies-after-retention')
    expect(brokenRuns(await play({ ...one, runs: 6 }, others))).toEqual(brokenRuns(await play({ ...one, runs: 6 }, [])))
  })
})

/** Each layer also has a mistake that shows without the facts of the risk. */
const broken: readonly Case[] = [
  { risk: 'redis-data-loss', layer: '001-get-set', scenario: 'redis-restart', sink: 'plain', runs: 10 },
  { risk: 'redis-data-loss', layer: '002-owner-token', scenario: 'eviction', sink: 'plain', runs: 10 },
  {
    ...{ risk: 'asynchronous-failover', layer: '003-postgres-skip-locked' },
    ...{ scenario: 'postgres-async-failover', sink: 'plain', runs: 20 },
  },
  {
    ...{ risk: 'asynchronous-commit', layer: '004-two-phase-postgres' },
    ...{ scenario: 'postgres-lost-commits', sink: 'plain', runs: 20 },
  },
  { risk: 'sink-forgets', layer: '000-set-nx-marker', scenario: 'slow-settlement', sink: 'keyed', runs: 20 },
  { risk: 'copies-after-retention', layer: '001-get-set', scenario: 'stale-message', sink: 'plain', runs: 10 },
  {
    ...{ risk: 'clock-steps-beyond-1-minute', layer: '002-owner-token' },
    ...{ scenario: 'only-redis-clock', sink: 'plain', runs: 10 },
  },
]

describe.each(broken)('$layer under $scenario', (one) => {
  it('is violated, whatever is accepted', async () => {
    const tally = await play(one, riskNames)
    expect(brokenRuns(tally).length).toBeGreaterThan(0)
  })
})

describe('a clock that steps by more than a minute', () => {
  it('explains effects, but no violation that a smaller step causes as well', async () => {
    const layer = { layer: '002-owner-token', scenario: 'only-redis-clock', sink: 'plain', runs: 20 } as const
    const { risks } = await play(layer, ['clock-steps-beyond-1-minute'])
    expect([...risks.values()].map(({ invariant }) => invariant)).toEqual(['at-most-once'])
  })
})

it('a lost commit explains the violations that it causes', async () => {
  const layer = { layer: '004-two-phase-postgres', scenario: 'postgres-lost-commits', sink: 'plain', runs: 20 } as const
  const { risks } = await play(layer, ['asynchronous-commit'])
  expect([...risks.values()].map(({ kind }) => kind)).toEqual(['repeat-after-loss:restart'])
})

it('an adapter can accept risks, and a config adds to them', async () => {
  const { loadPair } = await import('../../../src/campaign/play/load-pair.ts')
  const { task } = await pairById('001-get-set', 'eviction', deps)
  const accepting = async (accepts: LoadedPair['accepts'], config: LoadedPair['accepts']) => {
    const loadImplementation = async (path: string) => {
      const loaded = await deps.loadImplementation(path)
      return { ...loaded, implementation: { ...loaded.implementation, ...(accepts === undefined ? {} : { accepts }) } }
    }
    const asked = config === undefined ? task : { ...task, accepts: config }
    return (await loadPair(asked, { ...deps, loadImplementation })).accepts
  }
  const [flush, sink] = [
    { what: 'redis-data-loss', because: 'the layer says so' },
    { what: 'sink-forgets', because: 'the config says so' },
  ] as const
  expect(await accepting(undefined, undefined)).toEqual([])
  expect(await accepting([flush], [sink, { ...flush, because: 'twice' }])).toEqual([flush, sink])
})

it('a smaller run of a violation that no risk explains is a violation, too', async () => {
  const { findCounterexample } = await import('../../../src/campaign/explain/counterexample.ts')
  const { playAgain } = await import('../../../src/campaign/play/play-and-judge.ts')
  const { shrinkTask } = await import('../../../src/campaign/play/tasks.ts')
  const one = { layer: '001-get-set', scenario: 'redis-restart', sink: 'plain', runs: 20 } as const
  const { paths } = await play(one, ['redis-data-loss'])
  const flushed = [...paths.values()].find(({ kind }) => kind === 'repeat-after-loss:flush')!
  const { task, pair } = await pairById(one.layer, one.scenario, deps)
  const accepts = [{ what: 'redis-data-loss', because: 'we know' }] as const
  const shrink = shrinkTask({ ...task, accepts }, flushed, { mode: 'story', budget: 20_000 })
  const { recorded, violation } = await findCounterexample(shrink, deps)
  const { verdicts } = await playAgain({ ...pair, accepts }, recorded, emptyTally(), deps, {})
  const [{ verdict }] = verdicts.filter(({ name }) => name === 'at-most-once') as [(typeof verdicts)[0]]
  expect(verdict.verdict === 'violated' && verdict.violations.map(({ kind }) => kind)).toContain(violation.kind)
})
