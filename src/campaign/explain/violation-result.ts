import { insteadOf } from '../../contract/results/remedy-page.ts'
import type { AcceptedRiskResult, CampaignViolation, Finding, ViolationText } from '../../contract/results/results.ts'
import type { Timeline } from '../../contract/results/timeline.ts'
import { visible } from '../../contract/results/visible.ts'
import type { ReportedViolation } from '../causes/reported-violation.ts'
import type { CampaignContext, CampaignRequest } from '../play/campaign-request.ts'
import { drawRun } from '../play/draw-run.ts'
import type { RecordedPassing } from '../play/executor.ts'
import type { LoadedPair } from '../play/load-pair.ts'
import { planOf } from '../play/run-chunk.ts'
import type { PairTask } from '../play/tasks.ts'
import type { AcceptedTally, PathTally, Tally } from '../tally/tally.ts'
import { pairName } from '../token/pair-ref.ts'
import { replayByAddress, replayRecorded } from '../token/replay-command.ts'
import type { RunAddress } from '../token/run-address.ts'
import { encodeRun, encodeToken, excessOf, type RecordedRun } from '../token/token.ts'

/**
 * A violation with its story and the command that replays it. Runs that are too long for a token
 * are kept in a file. `found`: a drawn run with the same cause, which the command replays if
 * neither a token nor a file can hold the shrunk run.
 */
export function reportedResult(
  { invariant, violation, recorded, sourceLine, why, story, eventCount, faultCount }: ReportedViolation,
  found: RunAddress,
  request: Pick<CampaignRequest, 'reports'>,
  context: Pick<CampaignContext, 'keep'>,
): Omit<ViolationText, 'invariant' | 'kind'> {
  const { kind, key, sentence } = violation
  const { seed, run } = recorded
  const kept = keptRun(recorded, [invariant, kind], request, context)
  const { token, replay } = 'excess' in kept ? { token: null, replay: replayByAddress(found) } : kept
  const from = sourceLine === undefined ? {} : { sourceLine }
  const lines = 'excess' in kept ? [`${unkept(kept.excess)}; the command replays the run before it was minimized`] : []
  const reported = { story: [...story, ...lines], eventCount, faultCount }
  return { key, seed, run, token, replay, sentence: visible(sentence), ...from, ...remedyOf(kind, why), ...reported }
}

/**
 * The link to the advice in docs/findings/instead.md, as a member of a finding; empty if there is
 * none.
 */
export function remedyOf(kind: string, why: string | null = null): Pick<Finding, 'instead'> {
  const instead = insteadOf(kind, why)
  return instead === null ? {} : { instead }
}

/** Converts the nearest passing run to its entry in the results. */
export function nearestPassingResult(
  { what, recorded }: RecordedPassing,
  { invariant, kind }: Pick<Finding['cause'], 'invariant' | 'kind'>,
  request: Pick<CampaignRequest, 'reports'>,
  context: Pick<CampaignContext, 'keep'>,
): NonNullable<Finding['neighbour']> {
  if (recorded === null) return { what, token: null, replay: '' }
  const kept = keptRun(recorded, [invariant, kind, 'nearest-passing'], request, context)
  if ('excess' in kept) return { what: `${visible(what)} (${unkept(kept.excess)})`, token: null, replay: '' }
  return { what: visible(what), ...kept }
}

const unkept = (excess: string): string => `the run cannot be stored in a token or a file: ${excess}`

/**
 * How to replay a run: from a token, or from a file of the report whose name consists of `about`.
 * `excess` is the reason if neither can hold the run.
 */
export function keptRun(
  recorded: RecordedRun,
  about: readonly string[],
  { reports }: Pick<CampaignRequest, 'reports'>,
  { keep }: Pick<CampaignContext, 'keep'>,
): Pick<Finding, 'token' | 'replay'> | { readonly excess: string } {
  const excess = excessOf(recorded)
  if (excess !== null) return { excess }
  const token = encodeToken(recorded)
  if (token !== null) return { token, replay: replayRecorded(token, recorded) }
  const { implementation, scenario, sink } = recorded
  const name = `${[implementation, scenario, ...(sink === 'plain' ? [] : [sink]), ...about]
    .join('--')
    .replaceAll(/[^\w-]+/g, '-')
    .replace(/^-+/, '')}.json`
  keep(name, encodeRun(recorded))
  return { token, replay: replayRecorded(`${reports}/latest/${name}`, recorded) }
}

/** Like `reportedResult`, for the list of violations of a pair. */
export function violationResult(
  reported: ReportedViolation,
  request: Pick<CampaignRequest, 'reports'>,
  context: Pick<CampaignContext, 'keep'>,
): ViolationText {
  const { invariant, violation } = reported
  const { kind, sinkForgot } = violation
  const forgot = sinkForgot === undefined ? {} : { sinkForgot }
  return { invariant, kind, ...forgot, ...reportedResult(reported, reported.recorded, request, context) }
}

/** The first run of a path in the form of results: as it was drawn, without a story. */
export function drawnResult(
  task: PairTask,
  { scenario }: Pick<LoadedPair, 'scenario'>,
  { invariant, kind, sinkForgot, runs, first }: Pick<PathTally, 'invariant' | 'kind' | 'sinkForgot' | 'runs' | 'first'>,
): CampaignViolation {
  const { run, key, sentence, eventCount } = first
  const { value, choiceSeed } = drawRun(scenario, task.seed, run)
  const plan = planOf(task, value.value)
  const address = { ...pairName(task), seed: task.seed, run }
  const token = encodeToken({ ...address, plan, choiceSeed, ...first.trail })
  return {
    invariant,
    kind,
    ...(sinkForgot === undefined ? {} : { sinkForgot }),
    key,
    seed: task.seed,
    run,
    token,
    sentence: visible(sentence),
    ...remedyOf(kind),
    story: [],
    eventCount,
    shrunk: false,
    replay: token === null ? replayByAddress(address) : replayRecorded(token, address),
    faultCount: plan.faults.length,
    runs: [...runs],
  }
}

/** The accepted risks of a pair, with the violations that they explain. */
export function acceptedRisksOf(
  { accepts = [] }: Pick<LoadedPair, 'accepts'>,
  { risks }: Pick<Tally, 'risks'>,
  reportedAs: (explained: AcceptedTally) => AcceptedRiskResult['ways'][number],
): AcceptedRiskResult[] {
  return accepts.map(({ what, because }) => {
    const explained = [...risks.values()].filter((one) => one.risks.includes(what))
    const runs = [...new Set(explained.flatMap((one) => one.runs))].sort((a, b) => a - b)
    return { what, because, runs, ways: explained.map(reportedAs) }
  })
}

/** The first run that the risk explains, as it was drawn. */
export function acceptedWay(task: PairTask, pair: LoadedPair, explained: AcceptedTally) {
  const { invariant, kind, key, seed, run, token, replay, sentence } = drawnResult(task, pair, explained)
  return { invariant, kind, key, seed, run, token, replay, sentence }
}

/** The run that a finding shows. */
export interface ShownRun {
  readonly finding: Finding
  readonly recorded: RecordedRun
  readonly task: PairTask
  readonly timeline: Timeline
  /** The timeline of the nearest passing run. */
  readonly nearestPassing: Timeline | null
}
