/** Plays a run, has it judged, and counts it in a tally. */
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
import type { LoadedPair } from './load-pair.ts'
import { withMoreMessages } from './more-messages.ts'

export interface PlayedRun {
  readonly result: RunResult
  /** Without what accepted risks explain. */
  readonly verdicts: readonly Judgement[]
  readonly accepted: readonly AcceptedViolation[]
}

/** `accepts`: as its pair was loaded. */
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
 * A layer that retries or looks for work until the run ends repeats itself: a long run that has
 * broken as earlier runs did, or in which nothing is to come, is not played to its end.
 */
export async function playAsFarAsNeeded(
  run: number,
  request: Playing,
  tally: Tally,
  deps: CampaignDeps,
): Promise<PlayedRun> {
  const events = usualEvents(request)
  const begun = await judgedRun(events === Number.POSITIVE_INFINITY ? request : { ...request, events }, tally, deps)
  // At rest it is complete, and yet it was to go on.
  const isLong = begun.result.eventCount > events
  if (isLong && !showsAll(begun, request.plan, tally)) return playAndJudge(run, request, tally, deps)
  count({ run, ...begun, isLong }, request.scenario, tally, deps)
  return begun
}

/** More than it takes to come to rest soon after the last fault. Watched machines do more. */
function usualEvents({ plan, implementation }: Pick<WorldRequest, 'plan' | 'implementation'>): number {
  if (implementation.elsewhere) return Number.POSITIVE_INFINITY
  return plan.redis === undefined ? 10_000 : 25_000
}

/** A violation of a new kind is searched by the digest of the whole run. */
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
/** No run may take its usual events as often. */
const muchLater = 12

/** Only the layer's timers go off, and the next fault ends after the end of any run. */
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

/** For a run that was played already. No risk is accepted of it: that takes runs beside it. */
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

/**
 * A run that is played again, as it was recorded or addressed. No goals are asked of it. `wants`:
 * what it is to write down.
 */
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

/** What broke in it, each with its story. */
export function reportViolations(
  { result, verdicts }: PlayedRun,
  recorded: RecordedRun,
  deps: Pick<CampaignDeps, 'report'>,
): ReportedViolation[] {
  return violationsOf(verdicts).map((judged) => reportViolation(judged, result, recorded, deps))
}
