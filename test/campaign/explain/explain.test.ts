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

const isSearch = ({ budget, mode }: ShrinkTask) => budget > 0 && mode !== 'look'

/**
 * Searches that end at the cause that `endsAt` says, and cost 1,000 events each; a look at a run as it was drawn costs
 * `spentAsDrawn`. What was asked is kept.
 */
function executorThat(
  endsAt: (task: ShrinkTask) => { path: readonly string[]; needs: readonly string[] },
  reasonOf: (task: ShrinkTask) => string | null = () => null,
  spentAsDrawn = 0,
) {
  const asked: ShrinkTask[] = []
  const shrink = async (task: ShrinkTask): Promise<Counterexample> => {
    asked.push(task)
    const { invariant, kind, run, seed, sink, scenarioName: scenario, implementationName: implementation } = task
    return {
      invariant,
      story: [],
      scripts: {},
      why: 'twice',
      reason: reasonOf(task),
      timeline: emptyTimeline,
      eventCount: 5,
      faultCount: 1,
      spent: task.mode === 'look' || task.budget === 0 ? spentAsDrawn : 1_000,
      shrunk: isSearch(task),
      violation: { kind, key: 'k', sentence: 'twice', events: [] },
      cause: { invariant, kind, decidedBy: task.decidedBy, ...endsAt(task) },
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
  return { asked, shrink }
}

const plenty: ExplainBudget = { layer: 1_000_000, path: 10_000, checks: 0 }
const checking: ExplainBudget = { ...plenty, checks: 100_000 }

describe('explaining a layer', () => {
  it('makes one run of each path small, whatever the scenarios in which it was seen', async () => {
    const executor = executorThat(() => ({ path: ['GET', 'SET'], needs: ['crash'] }))
    const paths = [
      seen({ scenario: 'costly', runMs: 9, path: ['GET', 'SET'], runs: [1, 2] }),
      seen({ path: ['GET', 'SET'], runs: [4, 5, 6] }),
    ]
    const [finding, ...others] = await explainLayer(paths, [], plenty, executor)
    expect(others).toEqual([])
    expect(executor.asked.map(({ scenarioName, run }) => `${scenarioName} ${run}`)).toEqual(['cheap 4'])
    expect(finding!.seen.map(({ seen: { task }, runs }) => [task.scenarioName, runs])).toEqual([
      ['cheap', [4, 5, 6]],
      ['costly', [1, 2]],
    ])
  })

  it('finds two causes behind two paths, and one where both end at the same', async () => {
    const paths = [seen({ path: ['GET'], runs: [1] }), seen({ path: ['GET', 'SET'], runs: [2] })]
    const apart = executorThat(({ run }) => ({ path: ['GET'], needs: run === 1 ? ['crash'] : ['pause'] }))
    expect(await explainLayer(paths, [], plenty, apart)).toHaveLength(2)
    const same = executorThat(() => ({ path: ['GET'], needs: ['crash'] }))
    expect(await explainLayer(paths, [], plenty, same)).toHaveLength(1)
  })

  it('does not search again along a path that another search ended on', async () => {
    const executor = executorThat(() => ({ path: ['A'], needs: [] }))
    // Four searches make a wave; the fifth path is the one that they end on.
    const paths = ['B', 'C', 'D', 'E', 'A'].map((label, at) => seen({ path: [label], runs: [at + 1] }))
    expect(await explainLayer(paths, [], plenty, executor)).toHaveLength(1)
    expect(executor.asked).toHaveLength(4)
  })

  it('asks in waves of four while there is a budget, and for all the rest at once when there is none', async () => {
    const paths = ['A', 'B', 'C', 'D', 'E', 'F'].map((label, at) => seen({ path: [label], runs: [at + 1] }))
    const askedBeforeAnAnswer = async (layer: number) => {
      const { asked, shrink } = executorThat(({ run }) => ({ path: [`run ${run}`], needs: [] }))
      let atFirstAnswer = 0
      const late = async (task: ShrinkTask) => {
        const found = await shrink(task)
        atFirstAnswer ||= asked.length
        return found
      }
      expect(await explainLayer(paths, [], { ...plenty, layer }, { shrink: late })).toHaveLength(6)
      return atFirstAnswer
    }
    expect(await askedBeforeAnAnswer(1_000_000)).toBe(4)
    expect(await askedBeforeAnAnswer(0)).toBe(6)
  })

  it('looks at one explained run in ten, and keeps one that ends elsewhere as a finding of its own', async () => {
    const ends = (task: ShrinkTask) => ({ path: ['GET'], needs: task.run === 20 ? ['pause'] : ['crash'] })
    const paths = [seen({ path: ['GET'], runs: [3, 10, 11, 20, 21] })]
    const executor = executorThat(ends)
    const findings = await explainLayer(paths, [], checking, executor)
    expect(findings.map(({ cause, seen: [one] }) => [cause.needs, one!.runs])).toEqual([
      [['crash'], [3, 10, 11, 21]],
      [['pause'], [20]],
    ])
    expect(executor.asked.filter(({ mode }) => mode === 'check').map(({ run }) => run)).toEqual([10, 20])
    expect(executor.asked.map(({ run, mode }) => [run, mode])).toEqual([
      [3, 'finding'],
      [10, 'check'],
      [20, 'check'],
      [20, 'finding'],
    ])
    expect(await explainLayer(paths, [], plenty, executorThat(ends))).toHaveLength(1)
  })

  it('spends its budget on the gravest, and says of the others that they are as they were drawn', async () => {
    const executor = executorThat(({ invariant }) => ({ path: [invariant], needs: [] }))
    const slight = (['no-immortal-keys', 'same-result', 'bounded-stall', 'no-lost-message'] as const).map(
      (invariant, at) => seen({ invariant, path: ['X'], runs: [at] }),
    )
    const paths = [...slight, seen({ path: ['X'], runs: [9] })]
    const found = await explainLayer(paths, [], { layer: 4_000, path: 4_000, checks: 0 }, executor)
    const shrunk = (invariant: InvariantName) => found.find(({ cause }) => cause.invariant === invariant)!.shown.shrunk
    expect(shrunk('at-most-once')).toBe(true)
    expect(shrunk('no-immortal-keys')).toBe(false)
    expect(found).toHaveLength(5)
  })

  it('leaves room for the nearest runs that hold, which a quarter on top of each search is spent on', async () => {
    const executor = executorThat(({ run }) => ({ path: [`run ${run}`], needs: [] }))
    const paths = ['A', 'B', 'C', 'D'].map((label, at) => seen({ path: [label], runs: [at + 1] }))
    await explainLayer(paths, [], { ...plenty, layer: 4_000 }, executor)
    const most = executor.asked.reduce((sum, { budget }) => sum + budget + Math.ceil(budget / 4), 0)
    expect([executor.asked.length, most]).toEqual([4, 4_000])
  })

  it('looks at explained runs only while the searches that they led to leave something', async () => {
    const { shrink, asked } = executorThat(({ run }) => ({ path: ['GET'], needs: [`fault ${run}`] }))
    const spending = async (task: ShrinkTask) => ({ ...(await shrink(task)), spent: task.budget })
    const explained = Array.from({ length: 12 }, (_, at) => 10 * (at + 1))
    const paths = [seen({ path: ['GET'], runs: [3, ...explained] })]
    await explainLayer(paths, [], { layer: 100_000, path: 10_000, checks: 50_000 }, { shrink: spending })
    // The first two waves of looks, and the searches of what they found, leave a few thousand events.
    expect(asked.filter(({ mode }) => mode === 'check')).toHaveLength(8)
  })

  it('hands on only the scenarios that cost less', async () => {
    const executor = executorThat(() => ({ path: [], needs: [] }))
    const catalogue = [1, 5, 9].map((runMs) => ({ scenarioPath: `${runMs}`, scenarioName: `${runMs}`, runMs }))
    await explainLayer([seen({ runMs: 5, path: [], runs: [1] })], catalogue, plenty, executor)
    expect(executor.asked[0]!.cheaper).toEqual([{ scenarioPath: '1', scenarioName: '1' }])
  })

  it('tells the bugs of one kind and one path apart by the step that decided, however rare one is', async () => {
    const often = Array.from({ length: 47 }, (_, at) => at + 100)
    const paths = [
      seen({ path: ['GET', 'SET'], decidedBy: 'SET: OK', runs: often }),
      seen({ path: ['GET', 'SET'], decidedBy: 'SET: nothing, then GET: nothing', runs: [7, 9] }),
    ]
    const executor = executorThat(() => ({ path: ['GET', 'SET'], needs: [] }))
    const found = await explainLayer(paths, [], plenty, executor)
    expect(found.map(({ cause, seen: [one] }) => [cause.decidedBy, one!.runs.length])).toEqual([
      ['SET: OK', 47],
      ['SET: nothing, then GET: nothing', 2],
    ])
    expect(executor.asked.map(({ decidedBy }) => decidedBy)).toEqual(['SET: OK', 'SET: nothing, then GET: nothing'])
  })

  it('has one finding of runs whose facts give one reason, and counts the runs of all of them', async () => {
    const ends = ({ run }: ShrinkTask) => ({ path: ['GET'], needs: [run === 1 ? 'pause' : 'slow-effect'] })
    const paths = [seen({ path: ['GET'], runs: [1, 3] }), seen({ path: ['GET', 'SET'], runs: [2] })]
    const reported = (reason: (task: ShrinkTask) => string | null) =>
      explainLayer(paths, [], plenty, executorThat(ends, reason))
    const [one, ...others] = await reported(() => 'the claim expired while its holder was at work')
    expect(others).toEqual([])
    expect(one!.seen.map(({ runs }) => runs)).toEqual([[1, 3], [2]])
    expect(await reported(({ run }) => `reason ${run}`)).toHaveLength(2)
    expect(await reported(() => null)).toHaveLength(2)
  })

  describe('where a run shows a known cause as it was drawn', () => {
    // A wave has four searches; what comes after it is compared with what they found.
    const labels = ['A', 'B', 'C', 'D', 'E', 'F']
    const reasonOf = ({ run }: ShrinkTask) => (run === 5 || run === 10 ? 'reason 1' : `reason ${run}`)
    /** The fifth path's run is like the first one's, by reason and path, and needs what `asDrawn` says before it is searched. */
    function look({ asDrawn = ['pause', 'slow-effect'], fifth = 5, spentAsDrawn = 0, budget = plenty } = {}) {
      const paths = labels.map((label, at) => seen({ path: [label], runs: [at === 4 ? fifth : at + 1] }))
      const ends = ({ run, mode }: ShrinkTask) => {
        if (run === fifth) return { path: ['A'], needs: mode === 'look' ? asDrawn : asDrawn.slice(0, 1) }
        return { path: [labels[run - 1]!], needs: ['pause'] }
      }
      const executor = executorThat(ends, reasonOf, spentAsDrawn)
      const found = explainLayer(paths, [], budget, executor)
      return found.then((causes) => ({ causes, asked: executor.asked }))
    }
    const runsOf = (asked: readonly ShrinkTask[]) => asked.map(({ run }) => run)

    it('is not searched, and what is left is spent on the others', async () => {
      const { causes, asked } = await look()
      expect(causes.map(({ seen: all }) => all.flatMap(({ runs }) => runs))).toEqual([[1, 5], [2], [3], [4], [6]])
      expect(runsOf(asked.filter(isSearch))).toEqual([1, 2, 3, 4, 6])
      expect(causes.every(({ shown }) => shown.shrunk)).toBe(true)
    })

    it('is searched where it breaks without a fault that the cause needs: it may need less', async () => {
      const { causes, asked } = await look({ asDrawn: [] })
      expect(runsOf(asked.filter(isSearch))).toEqual([1, 2, 3, 4, 5, 6])
      expect(causes.map(({ seen: all }) => all.flatMap(({ runs }) => runs))).toContainEqual([1, 5])
    })

    it('may be looked at as one explained run in ten, since nobody searched it', async () => {
      const { asked } = await look({ fifth: 10, budget: checking })
      expect(runsOf(asked.filter(({ mode }) => mode === 'check'))).toEqual([10])
    })

    it('is charged for what the look played, which is no more than the cause takes', async () => {
      const { asked } = await look({ spentAsDrawn: 600, budget: { ...plenty, layer: 5_000 } })
      const asDrawn = asked.filter((one) => !isSearch(one))
      expect(asDrawn.map(({ run, mode }) => [run, mode])).toEqual([
        [5, 'look'],
        [6, 'look'],
        // The looks have spent what was left for it.
        [6, 'finding'],
      ])
    })

    it('costs no more than a sixteenth of what is left: four looks leave three quarters to the searches', async () => {
      const looks = ({ asked }: Awaited<ReturnType<typeof look>>) => asked.filter(({ mode }) => mode === 'look')
      const scarce = looks(await look({ budget: { ...plenty, layer: 36_000 } }))
      expect(scarce.map(({ budget }) => budget)).toEqual([2_000, 2_000])
      // Where much is left: no more than a search.
      expect(looks(await look()).map(({ budget }) => budget)).toEqual([10_000, 10_000])
    })

    it('is not looked at before it is told as it was drawn, where nothing is left to search', async () => {
      const { asked } = await look({ budget: { ...plenty, layer: 4_000 } })
      expect(runsOf(asked)).toEqual([1, 2, 3, 4, 5, 6])
    })
  })

  it('gives the same findings whoever answers first', async () => {
    const ends = ({ run }: ShrinkTask) => ({ path: ['GET'], needs: [`fault ${run % 3}`] })
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
