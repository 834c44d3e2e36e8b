import { describe, expect, it } from 'vitest'
import type { PairChoice } from '../../src/campaign/campaign-request.ts'
import type { Executor } from '../../src/campaign/executor.ts'
import { inlineExecutor, oneAtATime } from '../../src/campaign/inline-executor.ts'
import { NondeterminismError } from '../../src/campaign/nondeterminism.ts'
import { type PlayedPair, playPairs } from '../../src/campaign/play-pairs.ts'
import type { ChunkTask } from '../../src/campaign/tasks.ts'
import { fakeBench, fakeContext } from './fake-deps.ts'

const floorRuns = 60
/** Chunks beyond the floor are needed only where those before it bring something new at its end. */
const bound = { leastRuns: floorRuns, quietShare: 0, mostRuns: 400 }
const choice: PairChoice = {
  ...{ scenarioPath: 's', scenarioName: 'fake-crash', implementationPath: 'layer', implementationName: 'layer' },
  ...{ sink: 'plain', corpus: [], runMs: 1 },
}

/** What was asked of two workers, each with one more chunk waiting; `run` may answer late, or never. */
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
const turn = () => new Promise<void>((resolve) => setImmediate(resolve))

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await turn()
}

describe('the queue of chunks', () => {
  it('hands out no chunk that may be in vain while both workers have something to do', async () => {
    const { asked } = twoWorkers(never)
    await until(() => asked.length >= 3)
    await turn()
    expect(asked).toEqual([0, 20, 40])
  })

  it('hands one out to a worker that has nothing else, and waits for it no longer than for the pair', async () => {
    const { asked, done, over } = twoWorkers(async (task, play) => {
      if (task.from >= floorRuns) return never()
      if (task.from === 40) await until(() => asked.includes(floorRuns))
      return play(task)
    })
    expect(await over).toBe('over')
    expect(asked).toEqual([0, 20, 40, floorRuns])
    expect(done.map(({ progress }) => progress.tally.runs)).toEqual([floorRuns])
  })

  it('waits for a chunk that is needed', async () => {
    const { asked, done, over } = twoWorkers((task, play) => (task.from === 40 ? never() : play(task)))
    // All chunks that may be needed have been played meanwhile.
    await until(() => asked.includes(bound.mostRuns - 20))
    expect(await Promise.race([over, turn().then(turn)])).toBeUndefined()
    expect(done).toEqual([])
  })

  it('takes no notice of what becomes of a run beyond the last one', async () => {
    let failLast = () => {}
    const held = new Promise<void>((resolve) => (failLast = resolve))
    const { asked, done, over } = twoWorkers(async (task, play) => {
      if (task.from >= floorRuns) {
        await held
        throw new NondeterminismError('a run beyond the last one')
      }
      if (task.from === 40) await until(() => asked.includes(floorRuns))
      return play(task)
    })
    await over
    failLast()
    await turn()
    expect(done.map(({ progress }) => progress.failure)).toEqual([null])
  })
})
