import { describe, expect, it } from 'vitest'
import type { Bound } from '../../../src/campaign/play/campaign-request.ts'
import { PairProgress } from '../../../src/campaign/play/pair-progress.ts'
import { chunkSize } from '../../../src/campaign/play/run-chunk.ts'
import { addPath, emptyTally, type Tally } from '../../../src/campaign/tally/tally.ts'

const choice = {
  scenarioPath: 's',
  scenarioName: 's',
  implementationPath: 'l',
  implementationName: 'l',
  sink: 'plain' as const,
  corpus: [],
  runMs: 1,
}

function pair(bound: Bound, { goals = [] as string[], bail = false, minimumRuns = 2 * chunkSize } = {}) {
  return new PairProgress({ choice, bound }, { minimumRuns, goals }, { bail }, { seed: 1, fresh: false })
}

/** A chunk with new coverage. `items`: the run that brings each item. */
function chunk(items: Record<string, number> = {}, more: Partial<Tally> = {}): Tally {
  return { ...emptyTally(), runs: chunkSize, newCoverage: new Map(Object.entries(items)), ...more }
}

const quiet: Bound = { leastRuns: 0, quietShare: 0.5, mostRuns: 10 * chunkSize }

describe('a pair that ends when coverage stalls', () => {
  it('plays its minimum runs, and then ends if the last runs added nothing', () => {
    const progress = pair(quiet)
    progress.give(progress.take(), chunk({ cell: 3 }))
    expect(progress.isDone).toBe(false)
    progress.give(progress.take(), chunk())
    expect(progress.isDone).toBe(true)
    expect(progress.tally.runs).toBe(2 * chunkSize)
  })

  it.each(['crash at answered', 'goal a-lease-was-taken-over'])('continues for as many quiet runs after %s', (item) => {
    const progress = pair(quiet)
    progress.give(progress.take(), chunk())
    progress.give(progress.take(), chunk({ [item]: chunkSize + 1 }))
    expect(progress.isDone).toBe(false)
    progress.give(progress.take(), chunk({ [item]: 2 * chunkSize }))
    expect(progress.isDone).toBe(true)
  })

  it('does not continue for a new outcome of a fault, unless every quiet run counts', () => {
    const isDone = (bound: Bound) => {
      const progress = pair(bound)
      progress.give(progress.take(), chunk())
      progress.give(progress.take(), chunk({ 'pause × GET × retry': chunkSize + 1 }))
      return progress.isDone
    }
    expect(isDone(quiet)).toBe(true)
    expect(isDone({ ...quiet, quietShare: 1 })).toBe(false)
  })

  it('ends once it is violated and has played many events, even with missing goals', () => {
    const isDone = (spent: number, breaks: boolean) => {
      const limits = { minimumRuns: 5 * chunkSize, goals: ['a-lease-was-taken-over'], violatedEvents: 1000 }
      const progress = new PairProgress({ choice, bound: quiet }, limits, { bail: false }, { seed: 1, fresh: false })
      const tally = chunk({}, { spent })
      if (breaks) addPath(tally, 'p', { runs: [1], checked: [] } as never)
      progress.give(progress.take(), tally)
      return progress.isDone
    }
    expect([isDone(1000, true), isDone(999, true), isDone(1000, false)]).toEqual([true, false, false])
  })

  it('lets a chunk end for that too, unless the user chose the number of runs', () => {
    const limits = { minimumRuns: chunkSize, goals: [], violatedEvents: 1000 }
    const taken = (bound: Bound) =>
      new PairProgress({ choice, bound }, limits, { bail: false }, { seed: 1, fresh: false }).take().violatedEvents
    expect(taken(quiet)).toBe(1000)
    expect(taken({ ...quiet, quietShare: 1 })).toBeUndefined()
    expect(taken({ runs: 40 })).toBeUndefined()
  })

  it('ends after exactly its minimum runs, then after the quiet runs', () => {
    const progress = pair(quiet, { minimumRuns: chunkSize + 7 })
    const borders = [progress.take(), progress.take(), progress.take()].map(({ from, to }) => [from, to])
    expect(borders).toEqual([
      [0, chunkSize],
      [chunkSize, chunkSize + 7],
      [chunkSize + 7, chunkSize + 7 + 14],
    ])
  })

  it('continues while a goal is missed, up to the most runs', () => {
    const progress = pair(quiet, { goals: ['rare'] })
    for (let n = 0; n < 9; n++) progress.give(progress.take(), chunk())
    expect(progress.isDone).toBe(false)
    progress.give(progress.take(), chunk())
    expect(progress.isDone).toBe(true)
    const reached = pair(quiet, { goals: ['rare'] })
    reached.give(reached.take(), chunk({}, { goals: new Map([['rare', 1]]) }))
    reached.give(reached.take(), chunk())
    expect(reached.isDone).toBe(true)
  })

  it('excludes all runs beyond its end from every count, in any order of the answers', () => {
    const progress = pair(quiet)
    const tasks = [progress.take(), progress.take(), progress.take()]
    progress.give(tasks[2]!, chunk({ late: 2 * chunkSize }, { effects: 99 }))
    progress.give(tasks[1]!, chunk())
    progress.give(tasks[0]!, chunk())
    expect(progress.isDone).toBe(true)
    expect(progress.tally).toMatchObject({ runs: 2 * chunkSize, effects: 0 })
  })

  it('certainly needs its minimum runs, and perhaps the chunks after them', () => {
    const progress = pair(quiet)
    expect(progress.wants).toBe('needed')
    progress.take()
    expect(progress.wants).toBe('needed')
    progress.take()
    expect(progress.wants).toBe('perhaps')
  })
})

describe('a pair with a count of runs', () => {
  it('plays exactly that many, in chunks with fixed borders', () => {
    const progress = pair({ runs: chunkSize + 5 })
    const tasks = [progress.take(), progress.take()]
    expect(tasks.map(({ from, to }) => [from, to])).toEqual([
      [0, chunkSize],
      [chunkSize, chunkSize + 5],
    ])
    expect(progress.wants).toBe('nothing')
  })

  it('ends at its first violation with `bail`, and certainly needs only one chunk at a time', () => {
    const progress = pair({ runs: 10 * chunkSize }, { bail: true })
    const task = progress.take()
    expect(progress.wants).toBe('perhaps')
    const tally = chunk()
    const first = {
      run: 3,
      digest: '',
      trail: { stepCount: 1, trail: 'A', digest: '' },
      key: null,
      sentence: '',
      eventCount: 1,
    }
    addPath(tally, 'x', {
      invariant: 'at-most-once',
      kind: 'zombie',
      path: [],
      decidedBy: null,
      first,
      runs: [3],
      checked: [],
    })
    progress.give(task, tally)
    expect(progress.isDone).toBe(true)
  })
})
