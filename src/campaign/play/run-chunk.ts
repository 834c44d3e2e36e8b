/**
 * Plays a range of a pair's runs hot, without a trace. Then plays a sample of these runs again,
 * recorded and in reverse order, and compares the digests: those of the beginnings of long runs.
 */

import { unexecutedLines } from 'redis-sim'
import { LoadError } from 'virtual-node/runtime'
import type { Plan } from '../../contract/api/plan.ts'
import { usualStores } from '../../contract/api/store.ts'
import { addLines, emptyTally, type Tally } from '../tally/tally.ts'
import { factsOf, firstDifference, LeakError, NondeterminismError } from '../token/nondeterminism.ts'
import type { CampaignDeps, RunResult, WorldRequest } from '../types.ts'
import { atUsualLength } from '../usual-length.ts'
import { drawRun } from './draw-run.ts'
import { EndlessTurn } from './endless-turn.ts'
import { inRun } from './harness-failure.ts'
import { type LoadedPair, loadPair } from './load-pair.ts'
import { type PlayedRun, playAsFarAsNeeded } from './play-and-judge.ts'
import { addressOf, type ChunkTask, type PairTask } from './tasks.ts'

/**
 * The number of runs in a chunk. It is small, so that the first result arrives soon, workers are
 * not idle for long, and Ctrl-C takes effect.
 */
export const chunkSize = 20

/** One run in this number is played twice. The second play costs as much as ten hot runs. */
export const sampleEvery = 60

/** True for a run that is played twice: the first two of a pair, and then one in `sampleEvery`. */
export function isSampled(run: number): boolean {
  return run < 2 || run % sampleEvery === 0
}

/**
 * Plays a chunk.
 * @throws LoadError, LeakError, NondeterminismError
 */
export async function runChunk(task: ChunkTask, deps: CampaignDeps): Promise<Tally> {
  const pair = await loadPair(task, deps)
  const tally = emptyTally()
  const sampled: { run: number; hot: PlayedRun }[] = []
  deps.takeScriptLines() // Discard the scripts of an earlier task.
  deps.takeKnownScripts()
  deps.playing(addressOf(task, task.from))
  if (task.from === 0) await playCalm(calmRequest(task, pair), deps)
  for (let run = task.from; run < task.to; run++) {
    deps.playing(addressOf(task, run))
    const played = playAsFarAsNeeded(run, requestOf(task, pair, run), tally, deps)
    const hot = await played.catch((error: unknown) => afterViolation(error, run, tally))
    if (hot === null) break
    tally.spent += hot.result.eventCount
    if (isSampled(run)) sampled.push({ run, hot })
    if (deps.stopped() || isOver(task, tally)) break
  }
  const isComparedLater = task.comparesBreak === true && tally.paths.size > 0
  for (const { run, hot } of isComparedLater ? [] : sampled.reverse()) {
    const { result, events } = hot.beginning ?? { result: hot.result }
    deps.playing(addressOf(task, run))
    const asked = { ...requestOf(task, pair, run), record: true, scrutinise: true }
    const again = events === undefined ? asked : { ...asked, events }
    const recorded = await deps.runWorld(again)
    if (recorded.digest !== result.digest) throw await explain(run, result, recorded, () => deps.runWorld(again))
    tally.historyDigests.unshift(recorded.historyDigest ?? '')
  }
  // A layer without records in Redis sends no scripts, even if its package contains some.
  const { stores = usualStores } = pair.implementation.implementation
  const shipped = [...pair.implementation.scripts, ...deps.takeKnownScripts()]
  const known = stores.includes('redis') ? shipped.map(unexecutedLines) : []
  for (const { sha, executed, ...script } of [...deps.takeScriptLines(), ...known.filter((one) => one !== null)])
    addLines(tally, sha, { ...script, executed: new Set(executed) })
  return tally
}

/** Keeps the violations of earlier runs, even if the layer turns out to be unusable in this run. */
function afterViolation(error: unknown, run: number, tally: Tally): null {
  if (!(error instanceof LoadError) || tally.paths.size === 0) throw inRun(run, error)
  tally.unusable = error.message
  return null
}

/** True if the task's stop condition is met. */
export function isOver(
  { bail, until, violatedEvents = Number.POSITIVE_INFINITY }: Pick<ChunkTask, 'bail' | 'until' | 'violatedEvents'>,
  tally: Tally,
): boolean {
  if (tally.paths.size > 0 && (bail || tally.spent >= violatedEvents)) return true
  return until !== undefined && [...tally.paths.keys()].some((name) => name.startsWith(until))
}

export function requestOf(task: PairTask, pair: LoadedPair, run: number): WorldRequest & Pick<LoadedPair, 'accepts'> {
  const { value, choiceSeed } = drawRun(pair.scenario, task.seed, run)
  return { ...pair, sink: task.sink, plan: planOf(task, value.value), choices: { seed: choiceSeed }, record: false }
}

/** The plan as drawn, without faults of the kinds that are switched off. */
export function planOf({ without }: PairTask, plan: Plan): Plan {
  if (without === undefined || without.length === 0) return plan
  return { ...plan, faults: plan.faults.filter(({ kind }) => !without.includes(kind)) }
}

/**
 * Plays the run without faults as far as it takes to see that the layer answers.
 * @throws LoadError if the layer never works
 */
async function playCalm(request: WorldRequest, { runWorld }: CampaignDeps): Promise<void> {
  const begun = await runWorld(atUsualLength(request)).catch((error: unknown) => {
    if (!(error instanceof LoadError) || error instanceof EndlessTurn) throw error
    return null
  })
  const works = begun?.history.events.some((one) => one.type === 'answered' || (one.type === 'ended' && one.complete))
  if (!works) await runWorld(request)
}

/**
 * The first run without its faults. If the layer cannot start even without faults, the world throws
 * a LoadError.
 */
function calmRequest(task: PairTask, pair: LoadedPair): WorldRequest {
  const request = requestOf(task, pair, 0)
  return { ...request, plan: { ...request.plan, faults: [] }, mustWork: true }
}

/**
 * Explains why two runs of one seed differ. A scrutinised run loads all modules again. If two
 * scrutinised runs give the same history, the difference was caused by state of the adapter's
 * modules; otherwise by an uncontrolled source of randomness.
 */
export async function explain(
  run: number,
  hot: RunResult,
  recorded: RunResult,
  again: () => Promise<RunResult>,
): Promise<Error> {
  const third = await again()
  const stable = third.historyDigest === recorded.historyDigest && third.digest === recorded.digest
  const difference = stable
    ? firstDifference(factsOf(hot.history), factsOf(recorded.history))
    : firstDifference(recorded.history, third.history)
  const what = difference ?? 'only the choices, not the events'
  if (stable) return new LeakError(`module state of the adapter outlived a run; run ${run} then differed at ${what}`)
  return new NondeterminismError(`run ${run} is not repeatable; first difference: ${what}`)
}
