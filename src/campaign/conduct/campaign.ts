/**
 * Plays many runs of each pair of a scenario and an implementation, groups violations by cause, and
 * plays one control that must break.
 */
import { exitCodes } from '../../contract/api/exit-codes.ts'
import { sinkKinds } from '../../contract/api/sink.ts'
import type { LayerCoverage, PairResult, Results } from '../../contract/results/results.ts'
import { visible } from '../../contract/results/visible.ts'
import { Crosschecks, crosscheckFailure } from '../crosscheck/crosschecks.ts'
import { picturesOf } from '../explain/pictures.ts'
import { acceptedRisksOf, acceptedWay, violationResult } from '../explain/violation-result.ts'
import type { CampaignContext, CampaignRequest, PairPlan } from '../play/campaign-request.ts'
import { failureOf, survivorOf } from '../play/harness-failure.ts'
import type { PlayedPair } from '../play/pair-progress.ts'
import { mostRunsOf } from '../play/pair-progress.ts'
import { CoverageBook } from '../results/coverage.ts'
import { asDeclared, exitCodeOf, mustHold } from '../results/exit-code.ts'
import { pairResult } from '../results/pair-result.ts'
import { type PairName, pairName } from '../token/pair-ref.ts'
import type { CampaignOutcome } from '../types.ts'
import { isKnown, markKnown } from './baseline.ts'
import { runControl } from './control.ts'
import { addUndrawn, exploreFirst, type FirstOrders } from './explore-first.ts'
import { drawnViolations } from './findings.ts'
import { findingsSoFar } from './findings-so-far.ts'
import { FirstViolation } from './first-violation.ts'
import { markFaultless } from './needs-no-fault.ts'
import { playPairs } from './play-pairs.ts'
import { ProgressReporter } from './progress-reporter.ts'
import { reportedFindings } from './reported-findings.ts'

/**
 * Plays the campaign.
 * @throws LoadError if a layer or a scenario cannot be used at all
 */
export async function runCampaign(request: CampaignRequest, context: CampaignContext): Promise<CampaignOutcome> {
  const plans = [...request.pairs].sort(cheapestFirst)
  const played: PlayedPair[] = []
  const crosschecks = new Crosschecks(plans.length, request.seed, context)
  const reporter = new ProgressReporter(plans, context)
  const first = new FirstViolation(request, context)
  let control: Promise<PairResult | null> | null = null
  // Starts the control on workers that have no more chunks to play. The no-op catch avoids an
  // unhandled rejection: the await below throws the error.
  const startControl = () => {
    control ??= runControl(request, context)
    control.catch(() => {})
    return control
  }
  const soFar = () => [...played, ...reporter.begun(played)]
  let explored: readonly FirstOrders[] = []
  context.soFar(() => outcomeSoFar(soFar(), { plans, explored }, request, context))
  if (request.exploresFirst === true) explored = await exploreFirst(plans, request, context, first)
  await playPairs(plans, { ...request, sorted: true }, context, {
    played: (pair, end) => {
      reporter.played(pair)
      first.look(pair)
      if (pair.progress.isDone) crosschecks.add(pair, { place: plans.indexOf(pair.plan), end })
    },
    done: (pair) => {
      played.push(pair)
      context.pairDone(resultOf(pair, drawnViolations(pair), request, context))
      crosschecks.add(pair, { place: plans.indexOf(pair.plan) })
    },
    idle: startControl,
  })
  const judged = addUndrawn(context.deps.stopped() ? soFar() : played, explored)
  reporter.shrinking()
  const [{ violations, shown, failure, ...found }, controlled] = await Promise.all([
    reportedFindings(judged, request, context),
    startControl(),
  ])
  const { rootCauses, findings } = markKnown(found, request.baseline)
  crosschecks.addShown(shown)
  const pictures = picturesOf(shown)
  await first.reported()
  const reported = await markFaultless(violations, context)
  const results = judged.map(
    (pair) => [resultOf(pair, reported.get(pair) ?? [], request, context), isKnown(pair, findings)] as const,
  )
  const known = new Set(results.flatMap(([pair, isKnown]) => (isKnown ? [pair] : [])))
  const pairs = results.map(([pair]) => pair).sort(inOrder)
  const crosschecked = await crosschecks.results()
  const interrupted = context.deps.stopped()
  const judgesDeclarations = request.layers === 'as-declared'
  const asked = judgesDeclarations ? asDeclared : mustHold
  const survivor = judgesDeclarations && !interrupted ? survivorOf(pairs) : null
  const harnessFailure = failure ?? failureOf(pairs, controlled) ?? crosscheckFailure(crosschecked) ?? survivor
  return {
    bounded: boundedBy(request),
    interrupted,
    pairs,
    rootCauses: [...rootCauses].sort(inOrder),
    findings: [...findings].sort(inOrder),
    pictures,
    control: controlled,
    coverage: coverageOf(judged),
    harnessFailure,
    notRun: notRun(plans, judged),
    ...unplayedSinksOf(request),
    ...exploredOf(explored),
    crosschecks: crosschecked,
    exitCode: exitCodeOf<PairResult>(pairs, (pair) => (known.has(pair) ? 'ok' : asked(pair)), {
      interrupted,
      harnessFailed: harnessFailure !== null,
    }),
  }
}

/** The outcome of an aborted campaign: the runs played so far, as drawn, without searches. */
function outcomeSoFar(
  judged: readonly PlayedPair[],
  { plans, explored }: { readonly plans: readonly PairPlan[]; readonly explored: readonly FirstOrders[] },
  request: CampaignRequest,
  context: CampaignContext,
): CampaignOutcome {
  const { rootCauses, findings, violations } = findingsSoFar(judged)
  const stopped = { ...context, deps: { ...context.deps, stopped: () => true } }
  const pairs = judged.map((pair) => resultOf(pair, violations.get(pair) ?? [], request, stopped))
  return {
    bounded: boundedBy(request),
    interrupted: true,
    pairs: pairs.sort(inOrder),
    rootCauses: [...rootCauses].sort(inOrder),
    findings: [...findings].sort(inOrder),
    pictures: [],
    control: null,
    coverage: coverageOf(judged),
    harnessFailure: null,
    notRun: notRun(plans, judged),
    ...unplayedSinksOf(request),
    ...exploredOf(explored),
    crosschecks: { crosscheck: { verdict: 'skipped', reason: 'interrupted' } },
    exitCode: exitCodes.interrupted,
  }
}

const unplayedSinksOf = ({ unplayedSinks = [] }: CampaignRequest) =>
  unplayedSinks.length === 0 ? {} : { unplayedSinks }

const exploredOf = (explored: readonly FirstOrders[]): Pick<Results, 'explored'> =>
  explored.length === 0 ? {} : { explored: explored.map(({ result }) => result).sort(inOrder) }

const boundedBy = ({ pairs }: CampaignRequest): Results['bounded'] =>
  pairs.some(({ bound }) => 'timeMs' in bound) ? 'time' : 'runs'

function coverageOf(judged: readonly PlayedPair[]): readonly LayerCoverage[] {
  const coverage = new CoverageBook()
  for (const { pair, progress } of judged) coverage.add(pair.implementation.implementation.id, progress.tally)
  return coverage.all()
}

/** Converts a pair to its entry in the results. */
export function resultOf(
  { plan, pair, progress, fresh, goalReasons, again, explored }: PlayedPair,
  violations: PairResult['violations'],
  request: Pick<CampaignRequest, 'reports'>,
  context: Pick<CampaignContext, 'deps' | 'keep'>,
): PairResult {
  const { tally, task, failure, isDone } = progress
  const most = mostRunsOf(plan.bound, { minimumRuns: 0 })
  return pairResult({
    scenario: pair.scenario,
    implementation: pair.implementation.implementation,
    sink: task.sink,
    tally,
    acceptedRisks: acceptedRisksOf(pair, tally, (explained) => acceptedWay(task, pair, explained)),
    violations: [
      ...(explored === undefined ? [] : [explored]),
      ...again.map((reported) => violationResult(reported, request, context)),
      ...violations,
    ],
    failure,
    goalReasons,
    notes: [...(fresh ? [freshNote] : []), ...(tally.unusable === null ? [] : [visible(tally.unusable)])],
    cutShort: !isDone && context.deps.stopped() ? `interrupted after ${tally.runs} runs` : null,
    runsRequested: 'runs' in plan.bound ? most : tally.runs,
  })
}

const freshNote = 'module state of the layer outlives a run, so every run loaded the modules again'

/** The pairs that were not played, or not completely, because of `--bail` or an interruption. */
function notRun(plans: readonly PairPlan[], judged: readonly PlayedPair[]): Results['notRun'] {
  const done = new Set(judged.map(({ plan }) => plan))
  return plans
    .filter((plan) => !done.has(plan))
    .map(({ choice }) => pairName(choice))
    .sort(inOrder)
}

/**
 * Orders pairs by cost, so single servers come before deployments. Scenarios of equal cost are
 * ordered by layer.
 */
function cheapestFirst({ choice: a }: PairPlan, { choice: b }: PairPlan): number {
  const names = (choice: PairPlan['choice']) => `${choice.scenarioName} ${choice.implementationName}`
  return a.runMs - b.runMs || compare(names(a), names(b)) || sinkKinds.indexOf(a.sink) - sinkKinds.indexOf(b.sink)
}

type Ordered = Omit<PairName, 'scenario'> &
  ({ readonly id: string } | { readonly id?: never; readonly scenario: string })

/**
 * Orders entries by layer, scenario and sink. Root causes and findings keep the order of their
 * numbers.
 */
function inOrder(a: Ordered, b: Ordered): number {
  const sinks = sinkKinds.indexOf(a.sink) - sinkKinds.indexOf(b.sink)
  if (a.id !== undefined || b.id !== undefined) return compare(a.implementation, b.implementation) || sinks
  return compare(a.implementation, b.implementation) || compare(a.scenario, b.scenario) || sinks
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
