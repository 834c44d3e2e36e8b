/**
 * The answer of an executor depends only on its task, not on earlier tasks. Therefore, a campaign
 * gives the same results on any number of workers, shards and machines.
 */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { inlineExecutor } from '../../../src/campaign/conduct/inline-executor.ts'
import type { Executor } from '../../../src/campaign/play/executor.ts'
import { oneAtATime } from '../../../src/campaign/play/one-at-a-time.ts'
import {
  type ChunkTask,
  type PairTask,
  pairTask,
  type ShrinkTask,
  shrinkTask,
} from '../../../src/campaign/play/tasks.ts'
import { tallyToJson } from '../../../src/campaign/results/tally-json.ts'
import type { PairRef } from '../../../src/campaign/token/pair-ref.ts'
import type { CampaignDeps } from '../../../src/campaign/types.ts'
import { catalogue } from '../../../src/cli/catalogue.ts'
import { createDeps } from '../../../src/cli/create-deps.ts'
import { fakeBench } from '../fake-deps.ts'

type Task = { readonly chunk: ChunkTask } | { readonly shrink: ShrinkTask }

/** The answer as it travels between machines. A failure is an answer, too. */
async function answerTo(executor: Executor, task: Task): Promise<string> {
  try {
    if ('shrink' in task) return JSON.stringify(await executor.shrink(task.shrink))
    return JSON.stringify(tallyToJson(await executor.runChunk(task.chunk)))
  } catch (error) {
    return String(error)
  }
}

interface Bench {
  readonly pairs: readonly PairTask[]
  /** The runs of each chunk; `to` is exclusive. */
  readonly chunks: readonly (readonly [from: number, to: number])[]
  /** The events that each search may play. */
  readonly budget: number
  /** Creates the dependencies of a new worker. */
  readonly newDeps: () => CampaignDeps
}

/** All chunks of all pairs, and a search for each way in which one of their runs breaks. */
async function tasksOf({ pairs, chunks, budget, newDeps }: Bench): Promise<Task[]> {
  const executor = inlineExecutor(newDeps(), oneAtATime())
  const tasks: Task[] = []
  for (const pair of pairs)
    for (const [from, to] of chunks) {
      const chunk = { ...pair, from, to, bail: false }
      tasks.push({ chunk })
      const { paths } = await executor.runChunk(chunk)
      for (const way of paths.values()) tasks.push({ shrink: shrinkTask(pair, way, { mode: 'story', budget }) })
    }
  return tasks
}

/** Fails if an answer depends on what the worker has played before. */
async function checkAnswers(bench: Bench, numRuns: number): Promise<void> {
  // In this thread runs must not overlap, so workers take turns.
  const turns = oneAtATime()
  const newWorker = () => inlineExecutor(bench.newDeps(), turns)
  const tasks = await tasksOf(bench)
  const alone = await Promise.all(tasks.map((task) => answerTo(newWorker(), task)))
  const workers = Array.from({ length: 3 }, newWorker)
  const order = fc.shuffledSubarray([...tasks.keys()], { minLength: tasks.length })
  const partition = fc.array(fc.constantFrom(...workers), { minLength: tasks.length, maxLength: tasks.length })
  await fc.assert(
    fc.asyncProperty(order, partition, async (numbers, shares) => {
      const answers = await Promise.all(numbers.map((number, at) => answerTo(shares[at]!, tasks[number]!)))
      expect(answers).toEqual(numbers.map((number) => alone[number]))
    }),
    { numRuns, endOnFailure: true },
  )
}

const refOf = (implementationName: string, scenarioName: string): PairRef => ({
  scenarioPath: catalogue('scenario').find(({ id }) => id === scenarioName)?.path ?? scenarioName,
  scenarioName,
  implementationPath:
    catalogue('implementation').find(({ id }) => id === implementationName)?.path ?? implementationName,
  implementationName,
  sink: 'plain',
})
const pairOf = (implementation: string, scenario: string) =>
  pairTask(refOf(implementation, scenario), { seed: 1, fresh: false })

const fakes = {
  pairs: [pairOf('/here/a.ts', '/here/s.ts'), pairOf('/here/b.ts', '/here/s.ts')],
  chunks: [
    [0, 10],
    [10, 20],
  ],
  budget: 1_000,
} as const

describe('the answers of workers, in any order and any partition of the tasks', () => {
  it('equal those of a new worker for each task, in small worlds', async () => {
    await checkAnswers({ ...fakes, newDeps: fakeBench }, 6)
  })

  it('equal those of a new worker for each task, in the simulator', async () => {
    // Both break in their first run, and one of them sends scripts.
    const pairs = ['001-get-set', '000-lua-acquire'].map((layer) => pairOf(layer, 'competing-consumers'))
    const chunks = [
      [0, 1],
      [1, 2],
    ] as const
    await checkAnswers({ pairs, chunks, budget: 150, newDeps: () => createDeps(() => false) }, 1)
  })

  it('differ if the state of a layer outlives a task', async () => {
    const newDeps = (): CampaignDeps => {
      const deps = fakeBench({ leaks: true })
      const layer = deps.loadImplementation('/here/i.ts')
      return { ...deps, loadImplementation: () => layer }
    }
    // Each run is played only once.
    const chunks = [
      [2, 30],
      [30, 58],
    ] as const
    await expect(checkAnswers({ ...fakes, chunks, newDeps }, 6)).rejects.toThrow('Property failed')
  })
})
