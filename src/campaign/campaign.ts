/** Many runs of scenario × implementation, and one control that must break (DESIGN 9). */
import {
  type ExitCode,
  exitCodes,
  type Finding,
  type GateResult,
  type LayerCoverage,
  type PairResult,
  type Results,
} from '../contract/results.ts'
import type { CampaignRequest, PairChoice, Surroundings } from './campaign-request.ts'
import { CoverageBook } from './coverage.ts'
import { type GatedPair, gateFailure, runGate } from './gate/gate.ts'
import { type PairBound, type PairContext, runPair } from './run-pair.ts'

export interface CampaignOutcome {
  readonly bounded: 'runs' | 'time'
  readonly interrupted: boolean
  readonly exitCode: ExitCode
  /** Sorted by implementation, then scenario. */
  readonly pairs: readonly PairResult[]
  readonly control: PairResult | null
  readonly findings: readonly Finding[]
  readonly notRun: Results['notRun']
  readonly coverage: readonly LayerCoverage[]
  /** Why the harness cannot be trusted, in one sentence; null where it can. */
  readonly harnessFailure: string | null
  readonly gate: GateResult
}

/** The control is given this many runs to break in. */
const controlRuns = 100

/** @throws LoadError when a layer or a scenario cannot be used at all */
export async function runCampaign(request: CampaignRequest, around: Surroundings): Promise<CampaignOutcome> {
  const pairs: PairResult[] = []
  const gated: GatedPair[] = []
  const coverage = new CoverageBook()
  const choices = [...request.pairs].sort(byImplementationThenScenario)
  for (const [at, choice] of choices.entries()) {
    const bound = boundOf(request, around, choices.length - at)
    const done = around.bench.stopped() || (request.bail && pairs.some(isBroken))
    const plan = { choice, bound: done ? { runs: 0 } : bound, bail: request.bail }
    const { pair, tally } = await runPair(plan, request, around)
    coverage.add(pair.implementation, tally)
    around.pairDone(pair)
    pairs.push(pair)
    gated.push({ choice, pair })
  }
  pairs.sort((a, b) => compare(a.implementation, b.implementation) || compare(a.scenario, b.scenario))
  const gate = await runGate(gated, request.seed, around)
  const control = await runControl(request, around)
  const interrupted = around.bench.stopped()
  const harnessFailure = failureOf(pairs, control) ?? gateFailure(gate)
  return {
    bounded: 'runs' in request.bound ? 'runs' : 'time',
    ...{ interrupted, pairs, control, findings: [], notRun: [], coverage: coverage.all(), harnessFailure, gate },
    exitCode: interrupted ? exitCodes.interrupted : exitCodeOf(pairs, harnessFailure),
  }
}

export async function runControl(
  request: PairContext & Pick<CampaignRequest, 'control'>,
  around: Surroundings,
): Promise<PairResult | null> {
  if (request.control === null || around.bench.stopped()) return null
  const choice: PairChoice = { ...request.control, only: 'at-most-once' }
  const { pair } = await runPair({ choice, bound: { runs: controlRuns }, bail: true }, request, around)
  return around.bench.stopped() ? null : pair
}

/** An even share of what is left of the time. */
function boundOf({ bound }: CampaignRequest, { elapsedMs }: Surroundings, pairsLeft: number): PairBound {
  if ('runs' in bound) return bound
  const now = elapsedMs()
  return { until: now + Math.max(0, bound.timeMs - now) / pairsLeft }
}

/** Why the harness cannot be trusted; null where it can. */
export function failureOf(pairs: readonly PairResult[], control: PairResult | null): string | null {
  const failed = pairs.find((pair) => pair.verdict === 'error')
  if (failed !== undefined) return `${failed.implementation} under ${failed.scenario}: ${failed.reason}`
  if (control === null || control.verdict === 'violated') return null
  if (control.verdict === 'error') return `the control failed: ${control.reason}`
  return `the control survived ${control.runs} runs: the harness is broken, and its passes mean nothing`
}

/** DESIGN 9: where several apply, 3, then 1, then 4, then 0. */
function exitCodeOf(pairs: readonly PairResult[], harnessFailure: string | null): ExitCode {
  if (harnessFailure !== null) return exitCodes.harness
  if (pairs.some(isBroken)) return exitCodes.violated
  if (pairs.some((pair) => pair.verdict === 'unknown')) return exitCodes.unknown
  return exitCodes.ok
}

function isBroken(pair: PairResult): boolean {
  return pair.verdict === 'violated'
}

function byImplementationThenScenario(a: PairChoice, b: PairChoice): number {
  return compare(a.implementationName, b.implementationName) || compare(a.scenarioName, b.scenarioName)
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
