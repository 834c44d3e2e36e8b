/** Checks one canary: plays its scenarios in turn until a run violates an invariant. */
import type { CanaryFate, CanaryResult, Catch, Hunt, InjectedKind } from '../../contract/api/canary.ts'
import { visible } from '../../contract/results/visible.ts'
import type { Executor } from '../play/executor.ts'
import { type PairTask, shrinkTask } from '../play/tasks.ts'
import { addCount, addUnstruck, emptyTally, type PathTally, type Tally } from '../tally/tally.ts'
import type { LayerRef, ScenarioRef } from '../token/pair-ref.ts'
import { replayByAddress, replayRecorded } from '../token/replay-command.ts'
import { encodeToken } from '../token/token.ts'
import { firstBreak, freshAfterLeak } from './first-break.ts'

/** A mutant of the reference, with the scenarios that must catch it. */
export interface CanaryUnderTest extends LayerRef {
  readonly about: string
  readonly hunt: Hunt
  readonly scenarios: readonly ScenarioRef[]
}

export interface CheckRequest {
  readonly seed: number
  /** The maximum number of runs for each canary and scenario. */
  readonly runs: number
  /** Kinds of faults that are switched off. */
  readonly without: readonly string[]
  /** The maximum number of events that the search for a smaller counterexample may play. */
  readonly shrinkBudget: number
}

/**
 * Checks a canary and never throws. A failure is part of the result, so that the other canaries are
 * still checked.
 */
export async function checkCanary(
  canary: CanaryUnderTest,
  request: CheckRequest,
  executor: Executor,
): Promise<CanaryResult> {
  const total = emptyTally()
  try {
    const { implementationPath, implementationName, sink } = canary
    for (const scenario of canary.scenarios) {
      const pair = { ...scenario, implementationPath, implementationName, sink }
      const { tally, caught } = await freshAfterLeak((fresh) => hunt({ ...pair, fresh }, request, executor))
      addCounts(total, tally)
      if (caught !== null) return resultOf(canary, request, total, caught)
    }
    return resultOf(canary, request, total)
  } catch (error) {
    const failure = error instanceof Error ? error.message : String(error)
    return resultOf(canary, request, total, null, failure)
  }
}

/** @throws LeakError if the run that broke does not break again alike */
async function hunt(
  pair: Omit<PairTask, 'seed' | 'without'>,
  request: CheckRequest,
  executor: Executor,
): Promise<{ readonly tally: Tally; readonly caught: Catch | null }> {
  const { seed, without, runs } = request
  const { task, tally } = await firstBreak({ ...pair, seed, without, comparesBreak: true }, runs, executor)
  const [path] = tally.paths.values()
  return { tally, caught: path === undefined ? null : await caughtBy(task, path, request, executor) }
}

function resultOf(
  { implementationName: id, about, sink, hunt }: CanaryUnderTest,
  { without }: CheckRequest,
  total: Tally,
  caught: Catch | null = null,
  failure: string | null = null,
): CanaryResult {
  const { killedBy, needs = [] } = hunt
  const { runs } = total
  const fate = fateOf(hunt, without, { caught, failure })
  const injected =
    fate === 'survived' ? { injected: [...killedBy, ...needs].map((kind) => injectedKind(kind, total)) } : {}
  return { id, about, sink, killedBy, needs, without, fate, runs, caught, failure, ...injected }
}

/** Adds the counts of the runs of one scenario. */
function addCounts(total: Tally, { runs, faults, unstruck }: Tally): void {
  total.runs += runs
  for (const [kind, count] of faults) addCount(total.faults, kind, count)
  for (const [kind, missed] of unstruck) addUnstruck(total, kind, missed)
}

function injectedKind(kind: string, { faults, unstruck }: Tally): InjectedKind {
  const { runs, cameUp } = unstruck.get(kind) ?? { runs: 0, cameUp: 0 }
  return { kind, strikes: faults.get(kind) ?? 0, unstruckRuns: runs, withoutTarget: cameUp }
}

function fateOf(
  { killedBy, needs = [] }: Hunt,
  without: readonly string[],
  { caught, failure }: Pick<CanaryResult, 'caught' | 'failure'>,
): CanaryFate {
  if (failure !== null) return 'failed'
  const isOff = (kind: string) => without.includes(kind)
  const mayLive = needs.some(isOff) || (killedBy.length > 0 && killedBy.every(isOff))
  if (caught === null) return mayLive ? 'lives' : 'survived'
  return mayLive ? 'equivalent-kill' : 'caught'
}

async function caughtBy(
  task: PairTask,
  path: PathTally,
  { shrinkBudget: budget }: CheckRequest,
  executor: Executor,
): Promise<Catch> {
  const { invariant, violation, recorded } = await executor.shrink(shrinkTask(task, path, { budget, mode: 'canary' }))
  const token = encodeToken(recorded)
  return {
    scenario: task.scenarioName,
    invariant,
    kind: violation.kind,
    sentence: visible(violation.sentence),
    faults: [...new Set(recorded.plan.faults.map(({ kind }) => kind))].sort(),
    token,
    replay: token === null ? replayByAddress(recorded) : replayRecorded(token, recorded),
  }
}
