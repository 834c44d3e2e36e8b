import { inlineExecutor } from '../../src/campaign/conduct/inline-executor.ts'
import { explainLayer, type SeenPath } from '../../src/campaign/explain/explain.ts'
import type { ExplainBudget, PairChoice } from '../../src/campaign/play/campaign-request.ts'
import type { Counterexample, Executor } from '../../src/campaign/play/executor.ts'
import { oneAtATime } from '../../src/campaign/play/one-at-a-time.ts'
import { pairTask } from '../../src/campaign/play/tasks.ts'
import { LeakError } from '../../src/campaign/token/nondeterminism.ts'
import type { CostedScenario } from '../../src/campaign/token/pair-ref.ts'
import type { CampaignDeps } from '../../src/campaign/types.ts'

/** One finding of one layer. */
export interface MeasuredFinding {
  readonly layer: string
  /** The invariant and the kind of violation. */
  readonly what: string
  readonly scenario: string
  readonly story: readonly string[]
  readonly faults: number
  /** The CPU time of the search for the shown run. */
  readonly seconds: number
}

export interface Measuring {
  readonly seed: number
  /** The number of runs in each scenario. */
  readonly runs: number
  readonly cheaper: readonly CostedScenario[]
  readonly explain: ExplainBudget
  readonly deps: CampaignDeps
}

/** Returns the findings for pairs of one layer, as `run` produces them. */
export async function measureLayer(choices: readonly PairChoice[], measuring: Measuring): Promise<MeasuredFinding[]> {
  const { cheaper, explain, deps } = measuring
  const executor = inlineExecutor(deps, oneAtATime())
  const seen: SeenPath[] = []
  for (const choice of choices) seen.push(...(await pathsOf(choice, measuring, executor)))
  const seconds = new Map<Counterexample, number>()
  const timed: Pick<Executor, 'shrink'> = {
    // The searches run one after the other, because only the CPU time of the whole process is
    // known.
    shrink: queued(async (task) => {
      const before = process.cpuUsage()
      const found = await executor.shrink(task)
      const { user, system } = process.cpuUsage(before)
      seconds.set(found, (user + system) / 1e6)
      return found
    }),
  }
  const explained = await explainLayer(seen, cheaper, explain, timed)
  return explained.map(({ cause, shown }) => ({
    layer: choices[0]!.implementationName,
    what: `${cause.invariant}: ${cause.kind}`,
    scenario: shown.recorded.scenario,
    story: shown.story,
    faults: shown.faultCount,
    seconds: seconds.get(shown)!,
  }))
}

function queued<A, T>(work: (asked: A) => Promise<T>): (asked: A) => Promise<T> {
  const alone = oneAtATime()
  return (asked) => alone(() => work(asked))
}

async function pathsOf(
  choice: PairChoice,
  { seed, runs }: Pick<Measuring, 'seed' | 'runs'>,
  executor: Pick<Executor, 'runChunk'>,
): Promise<SeenPath[]> {
  const play = async (fresh: boolean): Promise<SeenPath[]> => {
    const task = pairTask(choice, { seed, fresh })
    const tally = await executor.runChunk({ ...task, from: 0, to: runs, bail: false })
    return [...tally.paths.values()].map((path) => ({ task, runMs: choice.runMs, path }))
  }
  try {
    return await play(false)
  } catch (error) {
    if (!(error instanceof LeakError)) throw error
    return play(true)
  }
}
