/** Plays a run, judges it, and adds it to a tally. */
import type { Judgement } from '../../check/index.ts'
import type { History } from '../../contract/api/history.ts'
import type { Plan } from '../../contract/api/plan.ts'
import type { Scenario } from '../../contract/api/scenario.ts'
import { type AcceptedViolation, setAccepted } from '../accepted/risks-of-run.ts'
import { decidingStep } from '../causes/deciding-step.ts'
import { pathName, pathOf } from '../causes/path-of.ts'
import {
  type JudgedViolation,
  type ReportedViolation,
  reportViolation,
  violationsOf,
} from '../causes/reported-violation.ts'
import { addRun, type JudgedRun } from '../tally/add-run.ts'
import type { Tally } from '../tally/tally.ts'
import type { RunAddress } from '../token/run-address.ts'
import { type RunChoices, sourceOf } from '../token/run-choices.ts'
import type { RecordedRun } from '../token/token.ts'
import type { CampaignDeps, RunResult, WorldRequest } from '../types.ts'
import { atUsualLength, usualEvents } from '../usual-length.ts'
import type { LoadedPair } from './load-pair.ts'
import { withMoreMessages } from './more-messages.ts'

export interface PlayedRun {
  readonly result: RunResult
  /** The verdicts, without violations that accepted risks explain. */
  readonly verdicts: readonly Judgement[]
  readonly accepted: readonly AcceptedViolation[]
  /** The first events of a long run, and their number. Absent: the run is not long. */
  readonly beginning?: { readonly result: RunResult; readonly events: number }
}

/** `accepts`: as in `LoadedPair`. */
type Playing = WorldRequest & Pick<LoadedPair, 'accepts'>

export async function playAndJudge(
  run: number,
  request: Playing,
  tally: Tally,
  deps: CampaignDeps,
): Promise<PlayedRun> {
  const played = await judgedRun(request, tally, deps)
  const isLong = played.result.eventCount > usualEvents(request)
  count({ run, ...played, isLong }, request.scenario, tally, deps)
  return played
}

/**
 * Plays a run, but stops a long one early. A layer that polls or retries until the run ends repeats
 * itself. So a long run is cut if its violations are known, or if only timers of the layer remain.
 */
export async function playAsFarAsNeeded(
  run: number,
  request: Playing,
  tally: Tally,
  deps: CampaignDeps,
): Promise<PlayedRun> {
  const events = usualEvents(request)
  const begun = await judgedRun(atUsualLength(request), tally, deps)
  // A run that came to rest is complete, even if it exceeded the usual number of events.
  const isLong = begun.result.eventCount > events
  const beginning = { result: begun.result, events }
  if (isLong && !showsAll(begun, request.plan, tally))
    return { ...(await playAndJudge(run, request, tally, deps)), beginning }
  count({ run, ...begun, isLong }, request.scenario, tally, deps)
  return isLong ? { ...begun, beginning } : begun
}

/**
 * True if the cut run is enough. A run with a new violation is not enough, because the search for
 * the violation needs the digest of the whole run.
 */
function showsAll({ result, verdicts, accepted }: PlayedRun, plan: Plan, { paths }: Tally): boolean {
  const violations = violationsOf(verdicts)
  const isKnown = ({ invariant, violation }: JudgedViolation) => {
    const way = { invariant, kind: violation.kind, path: pathOf(result, violation) }
    return paths.has(pathName({ ...way, decidedBy: decidingStep(result, violation) }))
  }
  if (accepted.length > 0) return false
  return violations.length === 0 ? waitsInVain(plan, result.history) : violations.every(isKnown)
}

const noNews = new Set(['data-lost', 'keys-counted', 'ended'])
/** The run does not wait for a fault that ends after more than this multiple of the time so far. */
const muchLater = 12

/**
 * True if only the layer's timers fire, and all remaining faults end long after the time so far.
 */
function waitsInVain({ faults }: Plan, { events }: History): boolean {
  const ended = events.at(-1)
  if (ended?.type !== 'ended' || ended.complete) return false
  const nowUs = ended.atUs
  const last = events.findLast(({ type }) => !noNews.has(type))
  if (last === undefined || 4 * last.atUs > nowUs) return false
  const struckUs = new Map(events.flatMap((one) => (one.type === 'fault-struck' ? [[one.index, one.atUs]] : [])))
  const later = faults
    .map(({ when, healAfterMs = 0 }, index) => {
      const atUs = struckUs.get(index) ?? (when.at === 'time' ? when.ms * 1000 : 0)
      return atUs + healAfterMs * 1000
    })
    .filter((us) => us > nowUs)
  return later.length > 0 && later.every((us) => us > muchLater * nowUs)
}

async function judgedRun(request: Playing, tally: Tally, deps: CampaignDeps): Promise<PlayedRun> {
  const result = await deps.runWorld(request)
  const { invariants, own } = request.scenario
  const alone = deps.judge(result.history, invariants, own)
  const judged = await withMoreMessages(alone, request, result.history, tally, deps)
  const { verdicts, accepted } = await setAccepted(judged, request, result, deps)
  return { result, verdicts, accepted }
}

/**
 * Judges a run that was played elsewhere. Risks are not accepted, because checking them would need
 * further runs.
 */
export function judgeAndCount(
  run: number,
  result: JudgedRun['result'],
  { invariants, own, goals }: Pick<Scenario, 'invariants' | 'own' | 'goals'>,
  tally: Tally,
  deps: Pick<CampaignDeps, 'judge' | 'reached'>,
): readonly Judgement[] {
  const verdicts = deps.judge(result.history, invariants, own)
  count({ run, result, verdicts, accepted: [] }, { goals }, tally, deps)
  return verdicts
}

function count(
  judged: Omit<JudgedRun, 'reached'>,
  { goals }: Pick<Scenario, 'goals'>,
  tally: Tally,
  deps: Pick<CampaignDeps, 'reached'>,
): void {
  addRun(tally, { ...judged, reached: goals.filter((goal) => deps.reached(goal, judged.result.history)) })
}

/** Replays a run as it was recorded or addressed, without goals. `wants`: what to record. */
export async function playAgain(
  pair: LoadedPair,
  recorded: RunAddress & RunChoices & Pick<RecordedRun, 'plan'>,
  tally: Tally,
  deps: CampaignDeps,
  wants: Pick<WorldRequest, 'positions' | 'listChoices' | 'schedule' | 'runTrace' | 'scrutinise' | 'serversAheadMs'>,
): Promise<PlayedRun> {
  const { run, sink, plan } = recorded
  deps.playing(recorded)
  const scenario = { ...pair.scenario, goals: [] }
  const request = { ...pair, scenario, sink, plan, choices: sourceOf(recorded), record: true, ...wants }
  return playAndJudge(run, request, tally, deps)
}

/** The violations of the run, each with its story. */
export function reportViolations(
  { result, verdicts }: PlayedRun,
  recorded: RecordedRun,
  deps: Pick<CampaignDeps, 'report'>,
): ReportedViolation[] {
  return violationsOf(verdicts).map((judged) => reportViolation(judged, result, recorded, deps))
}
