import { isDeepStrictEqual } from 'node:util'
import { describe, expect, it } from 'vitest'
import { findCounterexample } from '../../../src/campaign/explain/counterexample.ts'
import { runChunk } from '../../../src/campaign/play/run-chunk.ts'
import { shrinkTask } from '../../../src/campaign/play/tasks.ts'
import { LeakError, NondeterminismError } from '../../../src/campaign/token/nondeterminism.ts'
import type { CampaignDeps, RunResult, WorldRequest } from '../../../src/campaign/types.ts'
import { createDeps } from '../../../src/cli/create-deps.ts'
import type { RedisPlan } from '../../../src/contract/api/plan.ts'
import type { Scenario } from '../../../src/contract/api/scenario.ts'
import { pairById } from '../../scenarios/pair-by-id.ts'
import { crashScenario, fakeBench } from '../fake-deps.ts'

const deps = createDeps(() => false)

const fakePair = {
  ...{
    scenarioPath: 'fake-crash',
    scenarioName: 'fake-crash',
    implementationPath: 'layer',
    implementationName: 'layer',
  },
  ...{ sink: 'plain' as const, seed: 1, fresh: false },
}

const redis: RedisPlan = {
  replicas: 1,
  sentinels: 3,
  downAfterMs: 300,
  failoverTimeoutMs: 1000,
  keeps: 'nothing',
  minReplicasToWrite: 0,
  fullSyncMs: 0,
  loadingMs: 0,
}

/** Finds the first violation of a layer that keeps its knowledge in a Map at module level. */
async function found() {
  const { task } = await pairById('canary-module-map', 'competing-consumers', deps)
  const pair = { ...task, seed: 2, fresh: true }
  const { paths } = await runChunk({ ...pair, from: 0, to: 20, bail: true }, deps)
  return shrinkTask({ ...pair, fresh: false }, paths.values().next().value!, { mode: 'story', budget: 20_000 })
}

describe('a violation of a layer whose modules keep state between runs', () => {
  it('is shrunk with fresh modules in every run, and its token gives the same run', async () => {
    const task = await found()
    // The Map of the consumers still has the messages of the earlier runs of this worker.
    const { task: pair } = await pairById('canary-module-map', 'competing-consumers', deps)
    await runChunk({ ...pair, seed: 2, fresh: false, from: 0, to: 2, bail: true }, deps)
    const [first, again] = [await findCounterexample(task, deps), await findCounterexample(task, deps)]
    expect(first).toMatchObject({ shrunk: true, violation: { kind: 'duplicate' } })
    expect(again.recorded).toEqual(first.recorded)
  })

  it('is reported as a leak if only leftover state broke it', async () => {
    const task = { ...(await found()), digest: 'of a run that met what an earlier one had left' }
    await expect(findCounterexample(task, deps)).rejects.toThrow(LeakError)
  })

  it('is reported as nondeterminism if fresh modules do not repeat it either', async () => {
    let runs = 0
    const drifting: CampaignDeps = {
      ...deps,
      runWorld: async (request) => ({ ...(await deps.runWorld(request)), digest: `run ${runs++}` }),
    }
    await expect(findCounterexample(await found(), drifting)).rejects.toThrow(NondeterminismError)
  })
})

/** The result of a run that was cut: its history is unfinished. */
function cutShort(result: RunResult): RunResult {
  const { history } = result
  const events = history.events.map((event) =>
    event.type === 'ended' ? { ...event, complete: false as const, why: 'it was cut' } : event,
  )
  return { ...result, history: { ...history, events } }
}

describe('smaller runs', () => {
  /**
   * Searches for a smaller run. `cut` replaces the request of each run with a time limit, and
   * `reportedAs` replaces the result of such a run.
   */
  async function search(cut: (request: WorldRequest) => WorldRequest, reportedAs = (result: RunResult) => result) {
    const asked: WorldRequest[] = []
    const runWorld = async (request: WorldRequest) => {
      asked.push(request)
      return request.untilUs === undefined ? deps.runWorld(request) : reportedAs(await deps.runWorld(cut(request)))
    }
    const { recorded } = await findCounterexample({ ...(await found()), fresh: true }, { ...deps, runWorld })
    return { asked, recorded }
  }
  const inFull = ({ untilUs: _, ...request }: WorldRequest): WorldRequest => request

  it('stop soon after the violation, while the reported run is played to its end', async () => {
    const { asked, recorded } = await search((request) => request)
    const until = asked.flatMap(({ untilUs }) => untilUs ?? [])
    expect(until.length).toBeGreaterThan(10)
    expect(until).toEqual([...until].sort((a, b) => b - a))
    expect(asked.find(({ scrutinise }) => scrutinise)!.untilUs).toBeUndefined()
    expect((await search(inFull)).recorded).toEqual(recorded)
  })

  it('are searched again at full length if the smallest one breaks only when it is cut', async () => {
    // Every cut run breaks like the run that was drawn, whatever is left out.
    const drawn = await search(inFull).then(({ asked }) => asked[0]!)
    const asDrawn = ({ listChoices = false }) => ({ ...drawn, record: false, listChoices })
    const { recorded } = await search(asDrawn, cutShort)
    expect(recorded.plan.messages.length).toBeGreaterThan(1)
    expect(recorded.plan.faults).toEqual([])
  })
})

describe('a run of a deployment that also breaks on one server', () => {
  const crashes = crashScenario()
  const noCrash = crashes.plans.map((plan) => ({ ...plan, faults: plan.faults.filter(({ kind }) => kind !== 'crash') }))
  const watched = crashes.plans.map((plan) => ({ ...plan, redis }))
  const scenarios: Readonly<Record<string, Scenario>> = {
    pauses: { ...crashes, id: 'pauses', plans: noCrash },
    crashes: { ...crashes, id: 'crashes' },
    notOnPlain: { ...crashes, id: 'notOnPlain', notOnSink: 'plain' },
    onlyKeyed: { ...crashes, id: 'onlyKeyed', onlySink: 'keyed' },
    notOnKeyed: { ...crashes, id: 'notOnKeyed', notOnSink: 'keyed' },
    watched: { ...crashes, id: 'watched', shape: 'sentinel', plans: watched },
  }
  const bench = { ...fakeBench(), loadScenario: async (name: string) => scenarios[name]! }

  async function reportedIn(cheaper: readonly string[]) {
    const task = {
      scenarioPath: 'watched',
      scenarioName: 'watched',
      implementationPath: 'layer',
      implementationName: 'layer',
      sink: 'plain' as const,
      seed: 1,
      fresh: false,
    }
    const { paths } = await runChunk({ ...task, from: 0, to: 20, bail: true }, bench)
    const where = cheaper.map((name) => ({ scenarioPath: name, scenarioName: name }))
    const [path] = paths.values()
    const asked = shrinkTask(task, path!, { mode: 'story', budget: 20_000, cheaper: where })
    const { recorded, drawnIn } = await findCounterexample(asked, bench)
    return { ...recorded, drawnIn }
  }

  it('is reported in the cheapest scenario that draws its faults', async () => {
    const { scenario, plan, drawnIn } = await reportedIn(['pauses', 'crashes'])
    expect(drawnIn).toBe('watched')
    expect([scenario, plan.faults.map(({ kind }) => kind), plan.redis]).toEqual(['crashes', ['crash'], undefined])
  })

  it('is not reported in a scenario that does not use its sink', async () => {
    expect((await reportedIn(['notOnPlain', 'onlyKeyed', 'crashes'])).scenario).toBe('crashes')
    expect((await reportedIn(['notOnKeyed', 'crashes'])).scenario).toBe('notOnKeyed')
  })

  it('is reported in its own scenario if no other draws its faults', async () => {
    const { scenario, plan, drawnIn } = await reportedIn(['pauses'])
    expect(drawnIn).toBeUndefined()
    expect([scenario, plan.faults.map(({ kind }) => kind), plan.redis]).toEqual(['watched', ['crash'], redis])
  })
})

describe('a search of runs that break only when they are cut', () => {
  async function searched(budget: number) {
    const fake = fakeBench()
    const [path] = (await runChunk({ ...fakePair, from: 0, to: 40, bail: true }, fake)).paths.values()
    let drawn: WorldRequest | null = null
    const runWorld = async (request: WorldRequest) => {
      drawn ??= request
      if (request.untilUs === undefined) return fake.runWorld(request)
      return cutShort(await fake.runWorld({ ...drawn, record: false }))
    }
    const { shrunk, recorded } = await findCounterexample(shrinkTask(fakePair, path!, { mode: 'story', budget }), {
      ...fake,
      runWorld,
    })
    const { plan, choiceSeed } = recorded
    return { shrunk, isAsDrawn: isDeepStrictEqual([plan, choiceSeed], [drawn!.plan, drawn!.choices.seed]) }
  }

  it('reports a run as shrunk if it was found at full length, and not if the budget ended first', async () => {
    expect(await searched(20_000)).toEqual({ shrunk: true, isAsDrawn: false })
    expect(await searched(60)).toEqual({ shrunk: false, isAsDrawn: true })
  })
})

describe('a search that the user stops before it finds a smaller run', () => {
  it('reports the run as drawn and not as shrunk', async () => {
    let isStopped = false
    const bench = fakeBench({ stopped: () => isStopped })
    const [path] = (await runChunk({ ...fakePair, from: 0, to: 40, bail: true }, bench)).paths.values()
    isStopped = true
    const { shrunk, spent } = await findCounterexample(
      shrinkTask(fakePair, path!, { mode: 'story', budget: 20_000 }),
      bench,
    )
    expect(shrunk).toBe(false)
    expect(spent).toBeLessThan(20_000)
  })
})

describe('the faults that a run needs', () => {
  async function needsOf(drawn: readonly (readonly [kind: string, at: 'effect-applied' | 'answered'])[], how = {}) {
    const faults = drawn.map(([kind, at]) => ({ kind, when: { at, consumer: 0, nth: 1 } }))
    const scenario = crashScenario()
    const plans = scenario.plans.map((plan) => ({ ...plan, faults }))
    const bench = { ...fakeBench(how), loadScenario: async () => ({ ...scenario, plans }) }
    const [path] = (await runChunk({ ...fakePair, from: 0, to: 1, bail: true }, bench)).paths.values()
    const task = shrinkTask(fakePair, path!, { mode: 'look', budget: 20_000 })
    return (await findCounterexample(task, bench)).cause.needs
  }

  it('include one of two faults that each suffice', async () => {
    const [one, other] = [
      ['crash', 'effect-applied'],
      ['pause', 'answered'],
    ] as const
    expect(await needsOf([one, other])).toEqual(['crash'])
    expect(await needsOf([one, other, one])).toEqual(['crash'])
  })

  it('are an empty list if it breaks without faults', async () => {
    expect(await needsOf([['crash', 'effect-applied']], { alwaysBreaks: true })).toEqual([])
    expect(
      await needsOf(
        [
          ['crash', 'answered'],
          ['pause', 'answered'],
        ],
        { alwaysBreaks: true },
      ),
    ).toEqual([])
  })
})

describe('a run that breaks in one way along two paths', () => {
  const fake = fakeBench()
  const command = { process: 'consumer-1', args: [], reply: null }
  const bench: CampaignDeps = {
    ...fake,
    runWorld: async (request) => {
      const executed = [
        { ...command, label: 'GET', seq: 0 },
        { ...command, label: 'SET', seq: 2 },
      ]
      return { ...(await fake.runWorld(request)), executed }
    },
    judge: ({ events }) => {
      const one = (seq: number) => ({ kind: 'duplicate', key: null, sentence: `at ${seq}`, events: [seq] })
      const last = events.length - 1
      return [{ name: 'at-most-once', verdict: { verdict: 'violated', violations: [one(0), one(last)] } }]
    },
  }

  it.each([0, 5_000])('shows the violation of the requested path, with a budget of %i', async (budget) => {
    const { paths } = await runChunk({ ...fakePair, from: 0, to: 1, bail: true }, bench)
    const shown = await Promise.all(
      [...paths.values()].map((path) =>
        findCounterexample(shrinkTask(fakePair, path, { mode: 'story', budget }), bench),
      ),
    )
    expect(shown.map(({ cause }) => cause.path)).toEqual([['GET'], ['GET', 'SET']])
  })
})
