/** Plays a run, has it judged, and counts it in a tally. */
import type { Judgement } from '../../check/index.ts'
import type { Scenario } from '../../contract/api/scenario.ts'
import { type AcceptedViolation, setAccepted } from '../accepted/risks-of-run.ts'
import { type ReportedViolation, reportViolation, violationsOf } from '../causes/reported-violation.ts'
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
  const result = await deps.runWorld(request)
  const { invariants, own } = request.scenario
  const alone = deps.judge(result.history, invariants, own)
  const judged = await withMoreMessages(alone, request, result.history, tally, deps)
  const { verdicts, accepted } = await setAccepted(judged, request, result, deps)
  count({ run, result, verdicts, accepted }, request.scenario, tally, deps)
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

/** A run that is played again, as it was recorded or addressed. No goals are asked of it. `wants`: what it is to write down. */
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
