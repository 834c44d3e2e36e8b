import { describe, expect, it } from 'vitest'
import {
  checkCanaries,
  checkPerFault,
  kindsWithoutCanary,
  medianRuns,
} from '../../../src/campaign/conduct/check-canaries.ts'
import type { CanaryUnderTest } from '../../../src/campaign/conduct/check-canary.ts'
import type { Executor } from '../../../src/campaign/play/executor.ts'
import type { ChunkTask } from '../../../src/campaign/play/tasks.ts'
import { addPath, emptyTally, type Tally } from '../../../src/campaign/tally/tally.ts'
import { LeakError } from '../../../src/campaign/token/nondeterminism.ts'
import type { CanaryResult } from '../../../src/contract/api/canary.ts'
import { canaryLines } from '../../../src/report/canaries.ts'
import { emptyTimeline } from '../empty-timeline.ts'

const canary = (id: string, killedBy: string[] = [], scenarios = ['calm', 'wild']): CanaryUnderTest => ({
  implementationName: id,
  implementationPath: `${id}.ts`,
  sink: 'plain',
  about: '',
  hunt: { killedBy, scenarios },
  scenarios: scenarios.map((name) => ({ scenarioName: name, scenarioPath: `${name}.ts` })),
})

/**
 * Breaks a layer in the run that `breaksIn` returns, or never. Every violation shrinks to a run
 * with its own plan.
 */
function executorWhere(breaksIn: (task: ChunkTask) => number | null): Executor {
  return {
    size: 1,
    async runChunk(task): Promise<Tally> {
      const run = breaksIn(task)
      const tally = { ...emptyTally(), runs: run === null ? task.to : run + 1 }
      if (run !== null) {
        const first = {
          run,
          digest: '',
          trail: { stepCount: 1, trail: 'A', digest: '' },
          key: null,
          sentence: 'twice',
          eventCount: 1,
        }
        const path = {
          invariant: 'at-most-once',
          kind: 'zombie',
          path: [],
          decidedBy: null,
          first,
          runs: [run],
          checked: [],
        } as const
        addPath(tally, 'x', { ...path, runs: [run], checked: [] })
      }
      return tally
    },
    shrink: async ({ invariant, kind, run, seed, ...task }) => ({
      invariant,
      story: [],
      scripts: {},
      why: 'twice',
      reason: null,
      timeline: emptyTimeline,
      eventCount: 1,
      faultCount: 1,
      shrunk: true,
      spent: 0,
      cause: { invariant, kind, path: [], decidedBy: null, needs: [] },
      violation: { kind, key: null, sentence: 'twice', events: [] },
      recorded: {
        scenario: task.scenarioName,
        implementation: task.implementationName,
        sink: task.sink,
        seed,
        run,
        plan: { faults: [{ kind: 'pause' }, { kind: 'crash' }, { kind: 'pause' }] } as never,
        choiceSeed: 1,
        stepCount: 1,
        trail: 'A',
        digest: '',
      },
    }),
    explore: () => Promise.reject(new Error('canaries are drawn')),
    close: async () => {},
  }
}

const request = { seed: 1, runs: 500, without: [] as string[], shrinkBudget: 0 }
const party = (executor: Executor, stopped = () => false) => ({ executor, stopped, report: () => {} })
const fates = (results: CanaryResult[]) => results.map(({ fate }) => fate)

describe('a hunt', () => {
  it('searches scenario by scenario until one run breaks the layer, and counts all runs', async () => {
    const executor = executorWhere(({ scenarioName }) => (scenarioName === 'wild' ? 41 : null))
    const [result] = await checkCanaries([canary('a')], request, party(executor))
    expect(result).toMatchObject({ fate: 'caught', runs: 542, caught: { scenario: 'wild', kind: 'zombie' } })
    expect(result!.caught!.faults).toEqual(['crash', 'pause'])
  })

  it('fails if nothing breaks the canary, and succeeds if everything that reveals it is switched off', async () => {
    const executor = executorWhere(() => null)
    const of = (killedBy: string[], without: string[]) =>
      checkCanaries([canary('a', killedBy)], { ...request, without }, party(executor))
    expect(fates(await of([], []))).toEqual(['survived'])
    expect(fates(await of([], ['crash']))).toEqual(['survived'])
    expect(fates(await of(['crash', 'pause'], ['crash']))).toEqual(['survived'])
    expect(fates(await of(['crash', 'pause'], ['pause', 'crash']))).toEqual(['lives'])
  })

  it('counts the planned and struck faults of a canary that survived', async () => {
    const played = (task: ChunkTask): Tally => {
      const faults = new Map([['pause', 3]])
      const unstruck = new Map([['crash', { runs: 12, cameUp: 4 }]])
      return { ...emptyTally(), runs: task.to, faults, unstruck }
    }
    const executor = { ...executorWhere(() => null), runChunk: async (task: ChunkTask) => played(task) }
    const [result] = await checkCanaries(
      [canary('a', ['crash', 'pause', 'eviction'])],
      { ...request, runs: 20 },
      party(executor),
    )
    expect(result!.injected).toEqual([
      { kind: 'crash', strikes: 0, unstruckRuns: 24, withoutTarget: 8 },
      { kind: 'pause', strikes: 6, unstruckRuns: 0, withoutTarget: 0 },
      { kind: 'eviction', strikes: 0, unstruckRuns: 0, withoutTarget: 0 },
    ])
    expect(canaryLines(result!, false, { colours: false }).slice(2)).toEqual([
      '  crash: struck 0 times; planned but did not strike in 24 of 40 runs, in 8 of them without a target',
      '  pause: struck 6 times; planned but did not strike in 0 of 40 runs',
      '  eviction: planned in none of 40 runs',
    ])
    const [caught] = await checkCanaries([canary('a', ['crash'])], request, party(executorWhere(() => 3)))
    expect(caught).not.toHaveProperty('injected')
  })

  it('succeeds if a kind is switched off that the revealing kinds depend on', async () => {
    const a = canary('a', ['crash', 'pause'])
    const inNeed = { ...a, hunt: { ...a.hunt, needs: ['slow-redis'] } }
    const of = (without: string[], breaksIn: number | null) =>
      checkCanaries([inNeed], { ...request, without }, party(executorWhere(() => breaksIn)))
    expect(fates(await of(['crash'], null))).toEqual(['survived'])
    expect(fates(await of(['slow-redis'], null))).toEqual(['lives'])
    expect(fates(await of(['slow-redis'], 3))).toEqual(['equivalent-kill'])
  })

  it('reports a canary that is killed without its own faults', async () => {
    const off = { ...request, without: ['crash'] }
    expect(fates(await checkCanaries([canary('a', ['crash'])], off, party(executorWhere(() => 3))))).toEqual([
      'equivalent-kill',
    ])
  })

  it('loads fresh modules for every run if their state outlives a run', async () => {
    const executor = executorWhere(({ fresh }) => {
      if (!fresh) throw new LeakError('a Map')
      return 0
    })
    expect(fates(await checkCanaries([canary('a')], request, party(executor)))).toEqual(['caught'])
  })

  it('hunts again with fresh modules if the run that broke does not break again', async () => {
    const hunted: boolean[] = []
    const { shrink, ...executor } = executorWhere(({ fresh }) => {
      hunted.push(fresh)
      return 0
    })
    const leaking: Executor['shrink'] = (task) => (task.fresh ? shrink(task) : Promise.reject(new LeakError('a Map')))
    expect(fates(await checkCanaries([canary('a')], request, party({ ...executor, shrink: leaking })))).toEqual([
      'caught',
    ])
    expect(hunted).toEqual([false, true])
  })

  it('reports a canary that fails, and continues with the others', async () => {
    const executor = executorWhere(({ implementationName }) => {
      if (implementationName === 'a') throw new Error('a no longer fits')
      return 0
    })
    const results = await checkCanaries([canary('a'), canary('b')], request, party(executor))
    expect(fates(results)).toEqual(['failed', 'caught'])
    expect(results[0]!.failure).toBe('a no longer fits')
  })

  it('has no result for an interrupted canary', async () => {
    let stopped = false
    const executor = executorWhere(() => {
      stopped = true
      return null
    })
    expect(
      await checkCanaries(
        [canary('a'), canary('b')],
        request,
        party(executor, () => stopped),
      ),
    ).toEqual([])
  })
})

describe('the hunt for per-fault canaries', () => {
  it('plays ten times as many runs without the kind as it needed with it', async () => {
    const asked: [string[], number][] = []
    const executor = executorWhere(({ without = [], to }) => {
      asked.push([[...without], to])
      return without.length > 0 ? null : 39
    })
    const results = await checkPerFault([canary('a', ['crash'], ['wild'])], request, party(executor))
    expect(fates(results)).toEqual(['caught', 'lives'])
    expect(asked).toEqual([
      [[], 500],
      [['crash'], 400],
    ])
  })

  it('names kinds of faults without a canary', () => {
    const quarries = [canary('a', ['crash']), canary('b', ['crash', 'pause'])]
    expect(kindsWithoutCanary(['crash', 'pause'], quarries)).toEqual(['pause'])
  })
})

describe('all hunts together', () => {
  const result = (fate: CanaryResult['fate'], runs = 1) =>
    ({ fate, runs, caught: fate === 'caught' ? {} : null }) as CanaryResult

  it('have a median over the caught canaries', () => {
    expect(medianRuns([result('caught', 9), result('survived', 500), result('caught', 1), result('caught', 4)])).toBe(4)
    expect(medianRuns([result('survived', 500)])).toBeNull()
  })
})
