/** Hunting one layer that was broken on purpose: scenario after scenario, run after run, until it breaks. */
import type { CanaryFate, CanaryResult, Catch, Hunt } from '../contract/canary.ts'
import type { ChunkTask, Executor, PairTask } from './executor.ts'
import { LeakError } from './nondeterminism.ts'
import { replayByAddress, replayByToken } from './replay-command.ts'
import type { PathTally, Tally } from './tally.ts'
import { encodeToken } from './token.ts'

/** A canary, and where it and what it is hunted in were found. */
export interface CanaryUnderTest {
  readonly id: string
  readonly about: string
  readonly path: string
  readonly hunt: Hunt
  readonly scenarios: readonly { readonly name: string; readonly path: string }[]
}

export interface CheckRequest {
  readonly seed: number
  /** Most runs for each canary and scenario. */
  readonly runs: number
  /** Kinds of faults that are switched off. */
  readonly without: readonly string[]
  /** How many events the search for a smaller counterexample may play. */
  readonly shrinkBudget: number
}

/** Nothing is thrown: what goes wrong is in the result, since the other canaries are to be hunted all the same. */
export async function checkCanary(
  canary: CanaryUnderTest,
  request: CheckRequest,
  executor: Executor,
): Promise<CanaryResult> {
  let runs = 0
  try {
    for (const scenario of canary.scenarios) {
      const { task, tally } = await search(taskOf(canary, scenario, request), executor)
      runs += tally.runs
      const [path] = tally.paths.values()
      if (path !== undefined)
        return resultOf(canary, request, { runs, caught: await caughtBy(task, path, request, executor), failure: null })
    }
    return resultOf(canary, request, { runs, caught: null, failure: null })
  } catch (error) {
    const failure = error instanceof Error ? error.message : String(error)
    return resultOf(canary, request, { runs, caught: null, failure })
  }
}

function resultOf(
  { id, about, hunt: { killedBy, sink = 'plain' } }: CanaryUnderTest,
  { without }: CheckRequest,
  found: Pick<CanaryResult, 'runs' | 'caught' | 'failure'>,
): CanaryResult {
  return { id, about, sink, killedBy, without, fate: fateOf(killedBy, without, found), ...found }
}

function fateOf(
  killedBy: readonly string[],
  without: readonly string[],
  { caught, failure }: Pick<CanaryResult, 'caught' | 'failure'>,
): CanaryFate {
  if (failure !== null) return 'failed'
  const mayLive = killedBy.length > 0 && killedBy.every((kind) => without.includes(kind))
  if (caught === null) return mayLive ? 'lives' : 'survived'
  return mayLive ? 'dies-anyway' : 'caught'
}

function taskOf(canary: CanaryUnderTest, scenario: { name: string; path: string }, request: CheckRequest): ChunkTask {
  return {
    scenarioPath: scenario.path,
    scenarioName: scenario.name,
    sink: canary.hunt.sink ?? 'plain',
    implementationPath: canary.path,
    implementationName: canary.id,
    fresh: false,
    seed: request.seed,
    without: request.without,
    from: 0,
    to: request.runs,
    bail: true,
  }
}

/** As one chunk, however long: canaries are hunted side by side, and each stops at its first violation. */
async function search(task: ChunkTask, executor: Executor): Promise<{ task: ChunkTask; tally: Tally }> {
  try {
    return { task, tally: await executor.runChunk(task) }
  } catch (error) {
    if (!(error instanceof LeakError)) throw error
    const fresh = { ...task, fresh: true }
    return { task: fresh, tally: await executor.runChunk(fresh) }
  }
}

async function caughtBy(
  task: PairTask,
  { invariant, kind, first: { run, digest } }: PathTally,
  { shrinkBudget: budget }: CheckRequest,
  executor: Executor,
): Promise<Catch> {
  const search = { ...task, run, digest, invariant, kind, budget, cheaper: [], faultsOnly: false }
  const { violation, recorded } = await executor.shrink(search)
  const token = encodeToken(recorded)
  return {
    scenario: task.scenarioName,
    invariant,
    kind: violation.kind,
    sentence: violation.sentence,
    faults: [...new Set(recorded.plan.faults.map(({ kind }) => kind))].sort(),
    token,
    replay: token === null ? replayByAddress(recorded) : replayByToken(token),
  }
}
