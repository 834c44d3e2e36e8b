import { describe, expect, it } from 'vitest'
import { inlineExecutor } from '../../../src/campaign/conduct/inline-executor.ts'
import { playPairs } from '../../../src/campaign/conduct/play-pairs.ts'
import type { PairChoice } from '../../../src/campaign/play/campaign-request.ts'
import type { Executor } from '../../../src/campaign/play/executor.ts'
import { oneAtATime } from '../../../src/campaign/play/one-at-a-time.ts'
import type { PlayedPair } from '../../../src/campaign/play/pair-progress.ts'
import type { ChunkTask } from '../../../src/campaign/play/tasks.ts'
import { LeakError, NondeterminismError } from '../../../src/campaign/token/nondeterminism.ts'
import { fakeBench, fakeContext } from '../fake-deps.ts'

const minimumRuns = 60
/** Chunks beyond the minimum runs are needed only if the chunk before adds coverage at its end. */
const bound = { leastRuns: minimumRuns, quietShare: 0, mostRuns: 400 }
const choice: PairChoice = {
  ...{ scenarioPath: 's', scenarioName: 'fake-crash', implementationPath: 'layer', implementationName: 'layer' },
  ...{ sink: 'plain', corpus: [], runMs: 1 },
}

/**
 * The tasks of two workers that each have one more chunk waiting. `run` may answer late, or never.
 */
function twoWorkers(run: (task: ChunkTask, play: Executor['runChunk']) => ReturnType<Executor['runChunk']>) {
  const asked: number[] = []
  const deps = fakeBench({ sound: true })
  const inline = inlineExecutor(deps, oneAtATime())
  const executor: Executor = {
    ...inline,
    size: 4,
    runChunk: (task) => {
      asked.push(task.from)
      return run(task, inline.runChunk)
    },
  }
  const done: PlayedPair[] = []
  const listener = { played: () => {}, done: (pair: PlayedPair) => void done.push(pair) }
  const over = playPairs(
    [{ choice, bound }],
    { seed: 1, bail: false },
    { ...fakeContext(deps), executor },
    listener,
  ).then(() => 'over' as const)
  return { asked, done, over }
}

const never = () => new Promise<never>(() => {})
const later = (ms: number) => new Promise<'still waiting'>((resolve) => setTimeout(resolve, ms, 'still waiting'))

describe('the queue of chunks', () => {
  it('hands out no speculative chunk while both workers have work', async () => {
    const { asked } = twoWorkers(never)
    await later(50)
    expect(asked).toEqual([0, 20, 40])
  })

  it('hands one to an idle worker, and waits for it no longer than for the pair', async () => {
    let answerLast = () => {}
    const held = new Promise<void>((resolve) => (answerLast = resolve))
    const { asked, done, over } = twoWorkers(async (task, play) => {
      if (task.from >= minimumRuns) {
        answerLast()
        return never()
      }
      if (task.from === 40) await held
      return play(task)
    })
    expect(await over).toBe('over')
    expect(asked).toContain(60)
    expect(done.map(({ progress }) => progress.tally.runs)).toEqual([minimumRuns])
  })

  it('waits for a chunk that is needed', async () => {
    const { over, done } = twoWorkers((task, play) => (task.from === 40 ? never() : play(task)))
    expect(await Promise.race([over, later(500)])).toBe('still waiting')
    expect(done).toEqual([])
  })

  describe.each([
    ['before', 'after'],
    ['after', 'before'],
  ])('if a chunk fails %s the one before it was played', (first) => {
    /** Chunk `fails` breaks. It answers before or after chunk `other`. */
    async function played(fails: number, other: number, error: Error) {
      let answerLate = () => {}
      const held = new Promise<void>((resolve) => (answerLate = resolve))
      const early = first === 'before' ? fails : other
      const queue = twoWorkers(async (task, play) => {
        const isFailure = task.from === fails && !task.fresh
        if (!task.fresh && (task.from === fails || task.from === other)) {
          if (task.from === early) setTimeout(answerLate, 10)
          else await held
        }
        if (isFailure) throw error
        return play(task)
      })
      await Promise.race([queue.over, later(2_000)])
      answerLate()
      await later(20)
      return queue.done.map(({ fresh, progress: { failure, tally } }) => ({ fresh, failure, runs: tally.runs }))
    }
    const drifting = new NondeterminismError('it differed')
    const leaking = new LeakError('it leaked')

    it('ignores the failure if the chunk is beyond the last one', async () => {
      const passed = [{ fresh: false, failure: null, runs: minimumRuns }]
      expect(await played(minimumRuns, 40, drifting)).toEqual(passed)
      expect(await played(minimumRuns, 40, leaking)).toEqual(passed)
    })

    it('ends or restarts the pair if the chunk is needed', async () => {
      const [failed, ...more] = await played(40, 20, drifting)
      expect(more).toEqual([])
      expect(failed).toMatchObject({ runs: 40, failure: expect.stringContaining('it differed') })
      expect(await played(40, 20, leaking)).toEqual([{ fresh: true, failure: null, runs: minimumRuns }])
    })
  })

  describe('with several pairs', () => {
    /**
     * The order in which chunks of four pairs were requested (two chunks each), and the end of the
     * queue that each task comes from.
     */
    async function asked(request: { bail?: boolean; sorted?: true }, more: Partial<Executor>) {
      const deps = fakeBench({ sound: true })
      const inline = inlineExecutor(deps, oneAtATime())
      const chunks: string[] = []
      const executor: Executor = {
        ...inline,
        size: 4,
        ...more,
        runChunk: (task, end) => {
          chunks.push(`${task.scenarioName} ${end}`)
          return inline.runChunk(task)
        },
      }
      const plans = ['1', '2', '3', '4'].map((scenarioName) => ({
        choice: { ...choice, scenarioName },
        bound: { runs: 40 },
      }))
      const reported: string[] = []
      await playPairs(
        plans,
        { seed: 1, bail: false, ...request },
        { ...fakeContext(deps), executor },
        { played: () => {}, done: ({ plan }) => void reported.push(plan.choice.scenarioName) },
      )
      return { chunks, reported }
    }
    const cheapestFirst = ['1', '1', '2', '2', '3', '3', '4', '4'].map((name) => `${name} cheap`)

    it('plays from both ends if workers are separate, and reports in the order of the pairs', async () => {
      const { chunks, reported } = await asked({ sorted: true }, { bothEnds: true })
      expect(chunks.slice(0, 4)).toEqual(['1 cheap', '4 dear', '1 cheap', '4 dear'])
      expect(chunks.map((chunk) => chunk[0]).sort()).toEqual(['1', '1', '2', '2', '3', '3', '4', '4'])
      expect(reported).toEqual(['1', '2', '3', '4'])
    })

    it('begins with the cheapest if workers are not separate, with `bail`, and if pairs are not sorted', async () => {
      expect((await asked({ sorted: true }, {})).chunks).toEqual(cheapestFirst)
      // The second chunk is needed only if the first has no violation.
      const inTurn = ['1', '2', '3', '4', '1', '2', '3', '4'].map((name) => `${name} cheap`)
      expect((await asked({ sorted: true, bail: true }, { bothEnds: true })).chunks).toEqual(inTurn)
      expect((await asked({}, { bothEnds: true })).chunks).toEqual(cheapestFirst)
    })
  })
})
