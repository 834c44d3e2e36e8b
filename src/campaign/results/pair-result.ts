/** Converts a pair's tally to its entry in the results: the verdict and its evidence. */

import { Digest } from 'virtual-node/kernel'
import type { Implementation, Permission } from '../../contract/api/implementation.ts'
import { type AcceptedRisk, riskTexts } from '../../contract/api/risk.ts'
import type { Scenario } from '../../contract/api/scenario.ts'
import { worstFirst } from '../../contract/api/severity.ts'
import type { SinkKind } from '../../contract/api/sink.ts'
import { type InvariantName, notAsked } from '../../contract/api/verdict.ts'
import type { AcceptedRiskResult, PairResult, PairVerdict, ViolationResult } from '../../contract/results/results.ts'
import { visible } from '../../contract/results/visible.ts'
import { shortestLeaseNote } from '../../run/shortest-lease.ts'
import { lacksText } from '../goals/index.ts'
import { faultWithoutTarget } from '../tally/fault-without-target.ts'
import type { Tally } from '../tally/tally.ts'
import { cellsOf } from './cells.ts'

export interface PairOutcome {
  readonly scenario: Scenario
  readonly implementation: Implementation
  readonly sink: SinkKind
  readonly runsRequested: number
  readonly tally: Tally
  readonly violations: readonly ViolationResult[]
  /** Accepted risks with the violations that they explained. Absent: no risk is accepted. */
  readonly acceptedRisks?: readonly AcceptedRiskResult[]
  /** Reasons for goals that no run of this layer can reach. */
  readonly goalReasons: { readonly [goal: string]: string }
  /** Further assumptions of the verdict. */
  readonly notes: readonly string[]
  /** Why the harness failed; null if it did not. */
  readonly failure: string | null
  /** Why not all runs were played; null if they were. */
  readonly cutShort: string | null
}

export function pairResult(outcome: PairOutcome): PairResult {
  const { scenario, implementation, tally, acceptedRisks = [] } = outcome
  const { verdict, reason } = verdictOf(outcome)
  const cells = cellsOf(tally)
  const lease = shortestLeaseNote(implementation)
  const counts = (({ runs, messages, effects, done, refused, deadLettered }) => ({
    runs,
    messages,
    effects,
    done,
    refused,
    deadLettered,
    ...(tally.accepted === 0 ? {} : { accepted: tally.accepted }),
  }))(tally)
  return {
    implementation: implementation.id,
    scenario: scenario.id,
    shape: scenario.shape,
    ...(scenario.onlyFaults === undefined ? {} : { onlyFaults: scenario.onlyFaults }),
    sink: outcome.sink,
    verdict,
    expect: implementation.expect ?? 'holds',
    reason,
    runsRequested: outcome.runsRequested,
    ...counts,
    digest: digestOf(tally),
    distinctSchedules: tally.schedules.size,
    invariants: Object.fromEntries(scenario.invariants.map((name) => [name, invariantOf(outcome, name)])),
    assumptions: [
      ...scenario.assumptions,
      ...(lease === null ? [] : [lease]),
      ...allowedNotes(implementation),
      ...(implementation.ownClocks ? [ownClocksText] : []),
      ...acceptedRisks.map(acceptedNote),
      ...outcome.notes,
    ],
    faults: sorted(tally.faults),
    goals: Object.fromEntries(scenario.goals.map((goal) => [goal, reachedBy(outcome, goal)])),
    goalReasons: outcome.goalReasons,
    ...(implementation.lacks?.length ? { lacks: implementation.lacks } : {}),
    cells: { covered: cells.struck.size, total: cells.passed.size },
    unsupportedCommands: [...tally.unsupported].sort(),
    violations: [...outcome.violations].sort(gravestFirst),
    ...(acceptedRisks.length === 0 ? {} : { acceptedRisks }),
  }
}

const ownClocksText = 'the clocks of consumers are right: the layer reads clocks outside the harness'

const allowedTexts: Readonly<Record<Permission, string>> = {
  'fs-read':
    'the layer may read all files of the machine (allow: fs-read): a run is repeatable only with the same files',
  'other-hosts': 'the layer may look up hosts outside the simulation (allow: other-hosts): they do not answer',
}

const acceptedNote = ({ what, because }: AcceptedRisk): string =>
  `accepted: ${what} (${riskTexts[what]}), because: ${visible(because)}`

function allowedNotes({ allow = [] }: Implementation): string[] {
  return allow.map((one) => allowedTexts[one])
}

/** The verdict. The order of precedence is: the harness failed, violated, unknown, pass. */
function verdictOf(outcome: PairOutcome): { verdict: PairVerdict; reason: string | null } {
  if (outcome.failure !== null) return { verdict: 'error', reason: outcome.failure }
  const [worst] = [...outcome.violations].sort(gravestFirst)
  if (worst !== undefined) return { verdict: 'violated', reason: worst.sentence }
  const reason = whyUnknown(outcome)
  return reason === null ? { verdict: 'pass', reason } : { verdict: 'unknown', reason: visible(reason) }
}

function whyUnknown(outcome: PairOutcome): string | null {
  const { tally, scenario, cutShort } = outcome
  if (tally.unusable !== null) return tally.unusable
  if (tally.unsupported.size > 0) return `not simulated: ${[...tally.unsupported].sort().join(', ')}`
  for (const name of scenario.invariants) {
    const { unknown = 0, whyUnknown = null } = tally.invariants.get(name) ?? {}
    if (unknown > 0) return `${name} is unknown in ${unknown} of ${tally.runs} runs: ${whyUnknown}`
  }
  if (tally.incomplete > 0) return `${tally.incomplete} of ${tally.runs} runs did not finish: ${tally.whyIncomplete}`
  if (cutShort !== null) return cutShort
  const withoutTarget = faultWithoutTarget(tally, outcome.sink)
  if (withoutTarget !== null) return withoutTarget
  const missed = scenario.goals.filter((goal) => reachedBy(outcome, goal) === 0)
  if (missed.length === 0) return null
  const reason = `not reached in ${tally.runs} runs: ${missed.join(', ')}`
  const remedy = lacksText(missed)
  return remedy === null ? reason : `${reason} (${remedy})`
}

/**
 * The number of runs that reached the goal. A goal that some run reached is not `n/a`, whatever the
 * layer declares.
 */
function reachedBy({ tally, goalReasons }: PairOutcome, goal: string): number | 'n/a' {
  return tally.goals.get(goal) ?? (goalReasons[goal] === undefined ? 0 : 'n/a')
}

function invariantOf({ tally, implementation, scenario }: PairOutcome, name: InvariantName) {
  const reason = notAsked(name, implementation, scenario.own)
  if (reason !== null) return { verdict: 'n/a' as const, runsViolated: 0, reason }
  const { violated, unknown } = tally.invariants.get(name) ?? { violated: 0, unknown: tally.runs === 0 ? 1 : 0 }
  const verdict = violated > 0 ? ('violated' as const) : unknown > 0 ? ('unknown' as const) : ('valid' as const)
  return { verdict, runsViolated: violated }
}

/**
 * A digest of every run's digest, in the order of runs, and of the whole histories of the sampled
 * runs.
 */
function digestOf(tally: Tally): string {
  const digest = new Digest()
  for (const one of tally.digests) digest.text(one)
  for (const one of tally.historyDigests) digest.text(one)
  return digest.hex()
}

/** Orders violations: the most severe first; of equal severity, the smallest run first. */
export function gravestFirst(a: ViolationResult, b: ViolationResult): number {
  return worstFirst(a, b) || smallestFirst(a, b)
}

function smallestFirst(a: ViolationResult, b: ViolationResult): number {
  if (a.faultCount !== b.faultCount) return a.faultCount - b.faultCount
  if (a.eventCount !== b.eventCount) return a.eventCount - b.eventCount
  const [one, other] = [`${a.invariant} ${a.kind}`, `${b.invariant} ${b.kind}`]
  return one < other ? -1 : one > other ? 1 : 0
}

function sorted(counts: ReadonlyMap<string, number>): { [kind: string]: number } {
  return Object.fromEntries([...counts].sort(([a], [b]) => (a < b ? -1 : 1)))
}
