/**
 * A violation in the form that reports show: a finding of the campaign, or a violation with a
 * separate story, as in replays, live runs and configuration searches.
 */

import { worstFirst } from '../contract/api/severity.ts'
import type { Finding, PairResult, Results, RootCause, ViolationResult } from '../contract/results/results.ts'
import { askedPhrase } from './crosscheck.ts'

/** A finding, or a violation without a finding (`id` is null). */
export type Break = Omit<Finding, 'id' | 'rootCause' | 'why'> & {
  readonly id: string | null
  /** The cause in a sentence; null if unknown. */
  readonly why: string | null
  /**
   * The result of the crosscheck with a real server for this run; null if it was unknown when this
   * violation was reported.
   */
  readonly asked?: string | null
  readonly asPlayed?: true
  /** As in a violation of a campaign. */
  readonly explored?: true
  /** As in a replayed violation. */
  readonly madeFrom?: string
  /** The root cause of the finding. */
  readonly root?: RootCause
}

/** `at-most-once: duplicate, also zombie` */
export const kindsText = ({ cause: { invariant, kind }, otherKinds = [] }: Pick<Finding, 'cause' | 'otherKinds'>) =>
  `${invariant}: ${kind}${otherKinds.length === 0 ? '' : `, also ${otherKinds.join(', ')}`}`

type Findings = readonly Finding[]

export function findingOf(findings: Findings, pair: PairResult, { finding }: ViolationResult): Finding | undefined {
  return findings.find((one) => one.id === finding && isAlike(one, pair))
}

/**
 * The finding of the violation, which has a smaller run and the story; the violation itself if it
 * has no finding.
 */
export function breakOf(findings: Findings, pair: PairResult, violation: ViolationResult): Break {
  return findingOf(findings, pair, violation) ?? breakOfItsOwn(pair, violation)
}

/** True if the violation is the example of its root cause, or has no root cause. */
export const isExample = ({ id, root }: Break): boolean => root === undefined || root.findings[0] === id

type OfLayer = Pick<Break, 'implementation' | 'sink'>

/** Ids are unique only within one layer. */
const isAlike = (one: OfLayer, other: OfLayer): boolean =>
  one.implementation === other.implementation && one.sink === other.sink

export function rootOf(
  one: OfLayer & { readonly id: string | null },
  rootCauses: readonly RootCause[],
): RootCause | undefined {
  return rootCauses.find((root) => isAlike(root, one) && root.findings.some((id) => id === one.id))
}

/** The finding that is the example of a root cause. */
export function exampleOf(root: RootCause, findings: Findings): Finding {
  return findings.find((one) => isAlike(one, root) && one.id === root.findings[0])!
}

function breakOfItsOwn(pair: PairResult, violation: ViolationResult): Break {
  const { implementation, scenario, sink } = pair
  const { invariant, kind, sinkForgot, shrunk = true, why = null, finding: _, runs: numbers, ...shown } = violation
  const forgot = sinkForgot === undefined ? {} : { sinkForgot }
  const runs = numbers?.length ?? pair.invariants[invariant]?.runsViolated ?? 0
  return {
    ...shown,
    id: null,
    why,
    implementation,
    scenario,
    sink,
    shrunk,
    runs,
    cause: { invariant, kind, path: [], decidedBy: null, needs: [], ...forgot },
    seenIn: [{ scenario, runs: numbers ?? [] }],
  }
}

/**
 * True for a replay or a run on real servers: the requested run is shown as it was played, without
 * a search for a smaller one.
 */
export const isAsPlayed = ({ asPlayed }: Break): boolean => asPlayed === true

/**
 * Compares two violations: new findings come first, then known ones, both by number. Violations
 * without a finding come last.
 */
export const newFirst = (a: Break, b: Break): number =>
  Number(a.known === true) - Number(b.known === true) || numberOf(a) - numberOf(b) || worstFirst(a.cause, b.cause)

const numberOf = ({ id }: Break): number => (id === null ? Number.MAX_SAFE_INTEGER : Number(id.slice(1)))

/** All findings, and the violations without a finding. */
export function breaksOf({
  pairs,
  findings,
  rootCauses = [],
  timings,
}: Pick<Results, 'pairs' | 'findings'> & Partial<Pick<Results, 'timings' | 'rootCauses'>>): Break[] {
  const alone = pairs.flatMap((pair) =>
    pair.violations
      .filter((violation) => findingOf(findings, pair, violation) === undefined)
      .map((violation) => breakOfItsOwn(pair, violation)),
  )
  const rooted = findings.map((finding): Break => {
    const root = rootOf(finding, rootCauses)
    return root === undefined ? finding : { ...finding, root }
  })
  const all = [...rooted, ...alone].sort(newFirst)
  return timings === undefined ? all : all.map((one) => ({ ...one, asked: askedPhrase(one, timings) }))
}

/**
 * True if the shown run is in a scenario in which the finding was seen. A smaller run may have been
 * found in a cheaper scenario.
 */
export const isSeenWhereReported = ({ scenario, seenIn }: Pick<Finding, 'scenario' | 'seenIn'>): boolean =>
  seenIn.some((place) => place.scenario === scenario)

/** The number of runs of a pair in which something was violated. */
export function runsBroken({ violations, invariants }: PairResult): number {
  const listed = new Set(violations.flatMap(({ runs = [] }) => runs))
  return Math.max(listed.size, ...Object.values(invariants).map(({ runsViolated }) => runsViolated), 0)
}
