import { describe, expect, it } from 'vitest'
import { explainLayer, type SeenPath } from '../../../src/campaign/explain/explain.ts'
import type { ExplainBudget } from '../../../src/campaign/play/campaign-request.ts'
import type { Counterexample } from '../../../src/campaign/play/executor.ts'
import type { ShrinkTask } from '../../../src/campaign/play/tasks.ts'
import type { InvariantName } from '../../../src/contract/api/verdict.ts'
import { emptyTimeline } from '../empty-timeline.ts'

interface Seen {
  readonly scenario?: string
  readonly runMs?: number
  readonly invariant?: InvariantName
  readonly path: readonly string[]
  readonly decidedBy?: string
  readonly runs: readonly number[]
}

function seen({ scenario = 'cheap', runMs = 1, invariant = 'at-most-once', path, decidedBy, runs }: Seen): SeenPath {
  const violating = (run: number) => {
    return {
      run,
      digest: `d${run}`,
      trail: { stepCount: 1, trail: 'A', digest: '' },
      key: 'k',
      sentence: 'twice',
      eventCount: 9,
    }
  }
  return {
    task: {
      scenarioPath: scenario,
      scenarioName: scenario,
      implementationPath: 'l',
      implementationName: 'l',
      sink: 'plain',
      seed: 1,
      fresh: false,
    },
    runMs,
    path: {
      invariant,
      kind: 'duplicate',
      path,
      decidedBy: decidedBy ?? null,
      first: violating(runs[0]!),
      runs: [...runs],
      checked: runs.filter((run) => run % 10 === 0).map(violating),
    },
  }
}

const isSearch = ({ mode, budget }: ShrinkTask) => mode === 'finding' && budget > 0

interface End {
  readonly path?: readonly string[]
  readonly needs?: readonly string[]
  readonly kind?: string
}

/**
 * Searches and looks that end at the cause of `endsAt`. A search spends 1,000 events, a look 100.
 * All requests are kept in `asked`.
 */
function executorThat(
  endsAt: (task: ShrinkTask) => End,
  reasonOf: (task: ShrinkTask) => string | null = () => null,
  takesMs: (task: ShrinkTask) => number | undefined = () => undefined,
) {
  const asked: ShrinkTask[] = []
  const shrink = async (task: ShrinkTask): Promise<Counterexample> => {
    asked.push(task)
    const { invariant, run, seed, sink, scenarioName: scenario, implementationName: implementation } = task
    const { kind = task.kind, path = task.path, needs = [] } = endsAt(task)
    return {
      invariant,
      story: [],
      scripts: {},
      why: 'twice',
      reason: reasonOf(task),
      timeline: task.mode === 'finding' ? emptyTimeline : null,
      eventCount: 5,
      faultCount: 1,
      spent: isSearch(task) ? 1_000 : 100,
      shrunk: isSearch(task),
      violation: { kind, key: 'k', sentence: 'twice', events: [] },
      cause: { invariant, kind, decidedBy: task.decidedBy, path, needs },
      ...(takesMs(task) === undefined ? {} : { onServers: { ms: takesMs(task), recorded: { plan: {} } } as never }),
      recorded: {
        scenario,
        implementation,
        sink,
        seed,
        run,
        choiceSeed: 1,
        stepCount: 1,
        trail: 'A',
        digest: '',
        plan: {} as never,
      },
    }
  }
  return { asked, shrink, searched: () => asked.filter(isSearch).map(({ run }) => run) }
}

const plenty: ExplainBudget = { layer: 1_000_000, path: 10_000, checks: 0 }
const checking: ExplainBudget = { ...plenty, checks: 100_000 }

describe('explaining a layer', () => {
  it('looks at one run of each path, and searches one run of each root cause', async () => {
    const kinds = ['duplicate', 'zombie', 'duplicate', 'zombie', 'repeat-after-crash']
    const executor = executorThat(({ run }) => ({ kind: kinds[run - 1]!, needs: ['pause'] }))
    const paths = kinds.map((_, at) => seen({ path: [`P${at}`], runs: [at + 1] }))
    const found = await explainLayer(paths, [], plenty, executor)
    expect(executor.asked.filter((one) => !isSearch(one)).map(({ run }) => run)).toEqual([1, 2, 3, 4, 5])
    expect(executor.searched()).toHaveLength(3)
    expect(
      found
        .filter(({ shown }) => shown.shrunk)
        .map(({ cause }) => cause.kind)
        .sort(),
    ).toEqual(['duplicate', 'repeat-after-crash', 'zombie'])
  })

  it('looks at the paths of one run one after the other, without mixing up what it sees', async () => {
    const executor = executorThat(({ path: [name] }) => ({ kind: `kind-${name}` }))
    const order = [3, 1, 2, 1, 3]
    const paths = order.map((run, at) => seen({ path: [`P${at}`], runs: [run] }))
    const found = await explainLayer(paths, [], plenty, executor)
    const looks = executor.asked.filter((one) => !isSearch(one))
    expect(looks.map(({ run }) => run)).toEqual([1, 1, 2, 3, 3])
    for (const { cause, seen } of found)
      expect(seen.map(({ seen }) => `kind-${seen.path.path[0]}`)).toEqual([cause.kind])
    expect(found).toHaveLength(order.length)
  })

  it('looks at a run of usual length if some scenario has one on that path', async () => {
    const long = (one: SeenPath): SeenPath => {
      return { ...one, path: { ...one.path, first: { ...one.path.first, isLong: true } } }
    }
    const looks = async (...paths: readonly SeenPath[]) => {
      const executor = executorThat(() => ({}))
      await explainLayer(paths, [], plenty, executor)
      return executor.asked.filter((one) => !isSearch(one)).map(({ run }) => run)
    }
    const [cheap, dear] = [
      seen({ path: ['P'], runs: [1] }),
      seen({ path: ['P'], runs: [2], scenario: 'dear', runMs: 9 }),
    ]
    expect(await looks(cheap, dear)).toEqual([1])
    expect(await looks(long(cheap), dear)).toEqual([2])
    expect(await looks(long(cheap), long(dear))).toEqual([1])
  })

  it('knows which of the examined runs is fastest on real servers', async () => {
    const takesMs = ({ run, mode }: ShrinkTask) => (mode === 'finding' ? 90_000 : [20_000, 30_000, 40_000][run - 1]!)
    const executor = executorThat(
      () => ({}),
      () => null,
      takesMs,
    )
    const paths = [1, 2, 3].map((run) => seen({ path: [`P${run}`], runs: [run] }))
    const found = await explainLayer(paths, [], plenty, executor)
    expect(executor.searched()).toEqual([1])
    expect(found.map(({ onServers }) => onServers)).toContainEqual(expect.objectContaining({ ms: 20_000 }))
    expect(found.map(({ onServers }) => onServers)).not.toContainEqual(expect.objectContaining({ ms: 90_000 }))
  })

  it('searches the run with the most ordinary faults', async () => {
    const needs = [['late-copy'], ['clock-step'], ['crash'], ['pause']]
    const executor = executorThat(({ run }) => ({ needs: needs[run - 1]! }))
    await explainLayer(
      needs.map((_, at) => seen({ path: [`P${at}`], runs: [at + 1] })),
      [],
      plenty,
      executor,
    )
    expect(executor.searched()).toEqual([3])
  })

  it('searches another run of a root cause if the first one has a different cause', async () => {
    const kindOf = (task: ShrinkTask) => (isSearch(task) && task.run === 1 ? 'zombie' : 'duplicate')
    const executor = executorThat((task) => ({ kind: kindOf(task) }))
    const paths = [1, 2, 3].map((run) => seen({ path: [`P${run}`], runs: [run] }))
    const found = await explainLayer(paths, [], plenty, executor)
    expect(executor.searched()).toEqual([1, 2])
    expect(found.filter(({ shown }) => shown.shrunk).map(({ cause }) => cause.kind)).toEqual(['zombie', 'duplicate'])
  })

  it('gives a root cause up after three runs that have a different cause', async () => {
    const executor = executorThat((task) => ({ kind: isSearch(task) ? 'zombie' : 'duplicate' }))
    const paths = [1, 2, 3, 4, 5].map((run) => seen({ path: [`P${run}`], runs: [run] }))
    await explainLayer(paths, [], plenty, executor)
    expect(executor.searched()).toEqual([1, 2, 3])
  })

  it('searches each finding on request', async () => {
    const executor = executorThat(
      ({ run }) => ({ path: [`P${run}`], needs: ['crash'] }),
      ({ run }) => `reason ${run}`,
    )
    const paths = [1, 2, 3, 4, 5].map((run) => seen({ path: [`P${run}`], decidedBy: `P${run}`, runs: [run] }))
    const found = await explainLayer(paths, [], { ...plenty, all: true }, executor)
    expect([...executor.searched()].sort()).toEqual([1, 2, 3, 4, 5])
    expect(found.every(({ shown }) => shown.shrunk)).toBe(true)
  })

  it('merges paths with one cause into one finding, and adds up their runs', async () => {
    const executor = executorThat(() => ({ path: ['GET', 'SET'], needs: ['crash'] }))
    const paths = [
      seen({ scenario: 'costly', runMs: 9, path: ['GET', 'SET'], runs: [1, 2] }),
      seen({ path: ['GET', 'SET'], runs: [4, 5, 6] }),
    ]
    const [finding, ...others] = await explainLayer(paths, [], plenty, executor)
    expect(others).toEqual([])
    expect(executor.asked.map(({ scenarioName, run }) => `${scenarioName} ${run}`)).toEqual(['cheap 4', 'cheap 4'])
    expect(finding!.seen.map(({ seen: { task }, runs }) => [task.scenarioName, runs])).toEqual([
      ['cheap', [4, 5, 6]],
      ['costly', [1, 2]],
    ])
  })

  it('merges unshrunk runs into one finding if the same step decided them', async () => {
    const paths = [1, 2, 3].map((run) => seen({ path: [`P${run}`], decidedBy: run === 3 ? 'GET' : 'SET', runs: [run] }))
    const executor = executorThat(({ run }) => ({ needs: [`fault ${run}`] }))
    const found = await explainLayer(paths, [], plenty, executor)
    expect(found.map(({ seen: all }) => all.flatMap(({ runs }) => runs))).toEqual([[1, 2], [3]])
  })

  it('keeps unshrunk runs apart if their facts give two reasons', async () => {
    const paths = [1, 2].map((run) => seen({ path: [`P${run}`], decidedBy: 'SET', runs: [run] }))
    const two = executorThat(
      () => ({}),
      ({ run }) => `reason ${run}`,
    )
    expect(await explainLayer(paths, [], plenty, two)).toHaveLength(2)
    const one = executorThat(
      () => ({}),
      ({ run }) => (run === 1 ? 'a reason' : null),
    )
    expect(await explainLayer(paths, [], plenty, one)).toHaveLength(1)
  })

  it('looks at one violating run in ten, and separates a run with another root cause', async () => {
    const executor = executorThat(({ run }) => ({ kind: run === 20 ? 'zombie' : 'duplicate' }))
    const paths = [seen({ path: ['GET'], runs: [3, 10, 11, 20, 21] })]
    const found = await explainLayer(paths, [], checking, executor)
    expect(found.map(({ cause, seen: [one] }) => [cause.kind, one!.runs])).toEqual([
      ['duplicate', [3, 10, 11, 21]],
      ['zombie', [20]],
    ])
    expect(executor.searched().sort()).toEqual([20, 3])
    expect(
      await explainLayer(
        paths,
        [],
        plenty,
        executorThat(() => ({})),
      ),
    ).toHaveLength(1)
  })

  it('looks at no more runs than the budget for checks allows', async () => {
    const executor = executorThat(() => ({}))
    const runs = Array.from({ length: 50 }, (_, at) => 10 * (at + 1))
    await explainLayer([seen({ path: ['GET'], runs: [3, ...runs] })], [], { ...plenty, checks: 8_000 }, executor)
    expect(executor.asked.filter((one) => !isSearch(one))).toHaveLength(5)
  })

  it('spends its budget on the likeliest causes, and reports the others as drawn', async () => {
    const slight = (['no-immortal-keys', 'same-result', 'bounded-stall', 'no-lost-message'] as const).map(
      (invariant, at) => seen({ invariant, path: ['X'], runs: [at] }),
    )
    const kinds = { 'no-immortal-keys': 'grows-with-messages', 'same-result': 'different-result' } as const
    const ends = (task: ShrinkTask) => ({ kind: kinds[task.invariant as keyof typeof kinds] ?? task.kind })
    const paths = [...slight, seen({ path: ['X'], runs: [9] })]
    const found = await explainLayer(paths, [], { layer: 1_400, path: 4_000, checks: 0 }, executorThat(ends))
    const shrunk = (invariant: InvariantName) => found.find(({ cause }) => cause.invariant === invariant)!.shown.shrunk
    expect(shrunk('at-most-once')).toBe(true)
    expect(found.some(({ shown }) => !shown.shrunk)).toBe(true)
  })

  it('requests searches in waves of four', async () => {
    const kinds = ['duplicate', 'zombie', 'repeat-after-crash', 'repeat-after-error', 'repeat-after-loss:expiry']
    const { asked, shrink } = executorThat(({ run }) => ({ kind: kinds[run - 1]! }))
    const waves: number[] = []
    const late = async (task: ShrinkTask) => {
      const found = await shrink(task)
      if (isSearch(task)) waves.push(asked.filter(isSearch).length)
      return found
    }
    await explainLayer(
      kinds.map((_, at) => seen({ path: [`P${at}`], runs: [at + 1] })),
      [],
      plenty,
      { shrink: late },
    )
    expect(waves).toEqual([4, 4, 4, 4, 5])
  })

  it('reserves a quarter on top of each search for the nearest passing run', async () => {
    const kinds = ['duplicate', 'zombie', 'repeat-after-crash', 'repeat-after-error']
    const executor = executorThat(({ run }) => ({ kind: kinds[run - 1]! }))
    await explainLayer(
      kinds.map((_, at) => seen({ path: [`P${at}`], runs: [at + 1] })),
      [],
      { ...plenty, layer: 4_400 },
      executor,
    )
    const searches = executor.asked.filter(isSearch)
    const most = searches.reduce((sum, { budget }) => sum + budget + Math.ceil(budget / 4), 0)
    expect([searches.length, most]).toEqual([4, 4_000])
  })

  it('hands on only cheaper scenarios', async () => {
    const executor = executorThat(() => ({}))
    const catalogue = [1, 5, 9].map((runMs) => ({ scenarioPath: `${runMs}`, scenarioName: `${runMs}`, runMs }))
    await explainLayer([seen({ runMs: 5, path: [], runs: [1] })], catalogue, plenty, executor)
    expect(executor.asked[0]!.cheaper).toEqual([{ scenarioPath: '1', scenarioName: '1' }])
  })

  it('searches nothing without a budget, and draws the run of each root cause', async () => {
    const executor = executorThat(() => ({}))
    const found = await explainLayer([seen({ path: ['A'], runs: [1] })], [], { layer: 0, path: 0, checks: 0 }, executor)
    expect(executor.asked.map(({ mode, budget }) => [mode, budget])).toEqual([
      ['look', 0],
      ['finding', 0],
    ])
    expect(found).toHaveLength(1)
  })

  it('gives the same findings in any order of the answers', async () => {
    const ends = ({ run }: ShrinkTask) => ({ kind: ['duplicate', 'zombie', 'repeat-after-crash'][run % 3]! })
    const paths = [1, 2, 3, 4, 5, 6].map((run) => seen({ path: [`P${run}`], runs: [run, run * 10] }))
    const { shrink } = executorThat(ends)
    const late = async (task: ShrinkTask) => {
      for (let wait = 50 - task.run; wait > 0; wait--) await null
      return shrink(task)
    }
    expect(await explainLayer(paths, [], checking, { shrink: late })).toEqual(
      await explainLayer(paths, [], checking, { shrink }),
    )
  })
})
