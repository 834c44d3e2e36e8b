/** A risk explains a violation if its facts came before, and all runs without them hold. */
import { describe, expect, it } from 'vitest'
import { risks } from '../../../src/campaign/accepted/risks.ts'
import { RisksOfRun, setAccepted } from '../../../src/campaign/accepted/risks-of-run.ts'
import type { RunResult, WorldRequest } from '../../../src/campaign/types.ts'
import { judge } from '../../../src/check/index.ts'
import type { Plan } from '../../../src/contract/api/plan.ts'
import { type RiskName, riskNames } from '../../../src/contract/api/risk.ts'
import type { Verdict, Violation } from '../../../src/contract/api/verdict.ts'
import { aRun, type HistoryBuilder } from '../../check/history-builder.ts'

const plan: Plan = {
  ...{ consumers: 2, messages: [], leaseMs: 100, retentionMs: 10_000, visibilityMs: 1000, redeliveryMs: 50 },
  ...{ maxAttempts: 5, effectMs: 1, effectTimeoutMs: 100, sinkRemembersMs: 12_000, faults: [] },
}

const scenario = { invariants: ['at-most-once'] }
const request = { plan, choices: { seed: 1 }, scenario, implementation: {} } as unknown as WorldRequest

const held = () => aRun().publish('m1').deliver(1, 'm1', 'consumer-1').send(1, 1).apply(1).done(1).rest()

/**
 * `without`: the results of the runs without the facts, in order. The last one repeats. Each takes
 * `takes` events.
 */
function benchOf(without: readonly HistoryBuilder[], takes = 500) {
  const played: WorldRequest[] = []
  const runWorld = async (asked: WorldRequest) => {
    const history = without[Math.min(played.length, without.length - 1)]!
    played.push(asked)
    return {
      history,
      eventCount: asked.events === undefined ? takes : Math.min(takes, asked.events + 1),
    } as unknown as RunResult
  }
  return { played, deps: { runWorld, judge } }
}

function violationsOf(history: HistoryBuilder): readonly Violation[] {
  const [{ verdict }] = judge(history, ['at-most-once']) as unknown as [{ verdict: Verdict }]
  return verdict.verdict === 'violated' ? verdict.violations : []
}

async function explains(
  history: HistoryBuilder,
  without: readonly HistoryBuilder[] = [held()],
  candidates: readonly RiskName[] = riskNames,
) {
  const { deps } = benchOf(without)
  const [violation] = violationsOf(history)
  return new RisksOfRun(request, history, candidates, deps).explaining('at-most-once', violation!)
}

/** consumer-1 works on the message, `between` happens, and consumer-2 repeats the effect. */
const twice = (between: (run: HistoryBuilder) => HistoryBuilder, header: Parameters<typeof aRun>[0] = {}) =>
  between(aRun(header).publish('m1').deliver(1, 'm1', 'consumer-1').at(5).send(1, 1).apply(1))
    .deliver(2, 'm1', 'consumer-2', 2)
    .send(2, 2)
    .apply(2)
    .rest()

describe('a risk explains a violation', () => {
  it('if its facts came between the two attempts', async () => {
    expect(await explains(twice((run) => run.loseData('flush', ['lock:k1'])))).toEqual(['redis-data-loss'])
    expect(await explains(twice((run) => run.loseData('failover', ['lock:k1'])))).toEqual(['asynchronous-failover'])
    expect(await explains(twice((run) => run, { sink: 'keyed' }))).toEqual(['sink-forgets'])
    expect(await explains(twice((run) => run.at(10_006)))).toEqual(['copies-after-retention'])
  })

  it('only if its facts exist, concern the key and come in time', async () => {
    const flushed = (run: HistoryBuilder) => run.loseData('flush', ['lock:k1'])
    const ofAnother = twice((run) => run.publish('m2', { key: 'k2' }).loseData('flush', ['lock:k2']))
    const early = flushed(aRun().publish('m1')).deliver(1, 'm1', 'consumer-1').send(1, 1).apply(1)
    const late = aRun().publish('m1').deliver(1, 'm1', 'consumer-1').send(1, 1).apply(1)
    const sentTwice = (run: HistoryBuilder) => run.deliver(2, 'm1', 'consumer-2', 2).send(2, 2)
    expect(await explains(twice((run) => run))).toEqual([])
    expect(await explains(twice((run) => run.loseData('expiry', ['lock:k1'])))).toEqual([])
    expect(await explains(ofAnother)).toEqual([])
    expect(await explains(sentTwice(early).apply(2).rest())).toEqual([])
    expect(await explains(flushed(sentTwice(late)).apply(2).rest())).toEqual([])
  })

  it('only if that risk is accepted', async () => {
    const history = twice((run) => run.loseData('flush', ['lock:k1']))
    expect(await explains(history, [held()], ['sink-forgets'])).toEqual([])
  })

  it('only if the run without the facts holds, with any key and any choices', async () => {
    const history = twice((run) => run.loseData('flush', ['lock:k1']))
    const breaks = twice((run) => run)
    const breaksOther = aRun().publish('m2', { key: 'k2' }).deliver(1, 'm2', 'consumer-1').send(1, 1).apply(1)
    const other = breaksOther.deliver(2, 'm2', 'consumer-2', 2).send(2, 2).apply(2).rest()
    const open = aRun().publish('m1').deliver(1, 'm1', 'consumer-1').send(1, 1).apply(1).breakOff()
    for (const run of [breaks, other, open]) {
      expect(await explains(history, [run])).toEqual([])
      expect(await explains(history, [held(), run])).toEqual([])
      expect(await explains(history, [held(), held(), run])).toEqual([])
    }
  })

  it('alone or together with others', async () => {
    const history = twice((run) => run.loseData('flush', ['lock:k1']).at(10_006))
    const breaks = twice((run) => run)
    expect(await explains(history)).toEqual(['redis-data-loss'])
    const byBoth = [held(), held(), held(), breaks]
    expect(await explains(history, byBoth)).toEqual(['redis-data-loss', 'copies-after-retention'])
  })
})

describe('a long run without the facts', () => {
  const played = async (...without: readonly HistoryBuilder[]) => {
    const bench = benchOf(without, 50_000)
    const history = twice((run) => run.loseData('flush', ['lock:k1']))
    const risks = new RisksOfRun(request, history, riskNames, bench.deps)
    const found = await risks.explaining('at-most-once', violationsOf(history)[0]!)
    return { found, events: bench.played.map(({ events }) => events) }
  }

  it('is played until it breaks, and no further', async () => {
    expect(await played(twice((run) => run))).toEqual({ found: [], events: [10_000] })
  })

  it('is played to its end if its beginning holds', async () => {
    const unfinished = aRun().publish('m1').deliver(1, 'm1', 'consumer-1').send(1, 1).apply(1).breakOff()
    const both = [10_000, undefined]
    expect(
      await played(
        unfinished,
        twice((run) => run),
      ),
    ).toEqual({ found: [], events: both })
    expect(await played(held())).toEqual({ found: ['redis-data-loss'], events: [...both, ...both, ...both] })
  })
})

describe('an accepted violation', () => {
  it('is set apart, while all other violations stay', async () => {
    const run = twice((one) => one.loseData('flush', ['lock:k1']))
    const verdicts = judge(run, ['at-most-once', 'no-lost-message'])
    const accepts = [{ what: 'redis-data-loss', because: 'we know' }] as const
    const mild = await setAccepted(verdicts, { ...request, accepts }, { history: run }, benchOf([held()]).deps)
    expect(mild.verdicts[0]).toEqual({ name: 'at-most-once', verdict: { verdict: 'valid' } })
    expect(mild.verdicts[1]).toEqual(verdicts[1])
    expect(mild.accepted.map(({ risks: names }) => names)).toEqual([['redis-data-loss']])
    const strict = await setAccepted(verdicts, request, { history: run }, benchOf([held()]).deps)
    expect(strict).toEqual({ verdicts, accepted: [] })
  })

  it('leaves an unfinished run unknown', async () => {
    const run = aRun().publish('m1').deliver(1, 'm1', 'consumer-1').send(1, 1).apply(1).loseData('flush')
    const cut = run.deliver(2, 'm1', 'consumer-2', 2).send(2, 2).apply(2).breakOff()
    const accepts = [{ what: 'redis-data-loss', because: 'we know' }] as const
    const verdicts = judge(cut, ['at-most-once'])
    const mild = await setAccepted(verdicts, { ...request, accepts }, { history: cut }, benchOf([held()]).deps)
    expect(mild.verdicts[0]!.verdict.verdict).toBe('unknown')
  })
})

describe('a plan without a risk', () => {
  const restart = { kind: 'redis-restart', when: { at: 'time', ms: 5 }, healAfterMs: 5 } as const
  const flush = { kind: 'redis-flushed', when: { at: 'time', ms: 5 } } as const
  const step = (byMs: number) => ({ kind: 'clock-step', when: { at: 'time' as const, ms: 5 }, machine: -1, byMs })

  it('has a server that restarts with its data, and no flush', () => {
    const { faults, redis } = risks['redis-data-loss'].without({ ...plan, faults: [restart, flush] })
    expect(faults).toEqual([restart])
    expect(redis).toMatchObject({ keeps: 'aof-always', replicas: 0, sentinels: 0 })
    expect(risks['redis-data-loss'].without(plan)).toEqual(plan)
  })

  it('has clock steps of at most a minute, in the same direction', () => {
    const { faults } = risks['clock-steps-beyond-1-minute'].without({
      ...plan,
      faults: [step(60_000), step(60_001), step(-3e6)],
    })
    expect(faults).toEqual([step(60_000), step(60_000), step(-60_000)])
  })

  it('has a standby that has every commit, and commits that are durable', () => {
    const postgres = { synchronousCommit: false, maxConnections: 10, recoveryMs: 0, standby: 'asynchronous' } as const
    expect(risks['asynchronous-failover'].without({ ...plan, postgres }).postgres).toEqual({
      ...postgres,
      standby: 'synchronous',
    })
    const lagging = { ...postgres, standby: 'synchronous', standbyLagMs: 200 } as const
    expect(risks['asynchronous-failover'].without({ ...plan, postgres: lagging }).postgres).toEqual({
      ...postgres,
      standby: 'synchronous',
    })
    expect(risks['asynchronous-commit'].without({ ...plan, postgres }).postgres).toEqual({
      ...postgres,
      synchronousCommit: true,
    })
  })

  it('has a sink that forgets nothing, or a retention that outlasts the run', () => {
    expect(risks['sink-forgets'].without(plan)).not.toHaveProperty('sinkRemembersMs')
    const { retentionMs, sinkRemembersMs } = risks['copies-after-retention'].without(plan)
    expect(retentionMs).toBeGreaterThan(4 * 86_400_000)
    expect(sinkRemembersMs! - retentionMs).toBe(2000)
  })
})
