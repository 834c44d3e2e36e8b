/**
 * What broke a layer, as reports tell it: a finding of the campaign, or a violation that tells its
 * story itself, as those of replays, of live runs and of configuration searches do.
 */

import { worstFirst } from '../contract/api/severity.ts'
import type { Finding, PairResult, Results, RootCause, ViolationResult } from '../contract/results/results.ts'
import { askedPhrase } from './crosscheck.ts'

/** A finding; `id` is null for a violation that is none. */
export type Break = Omit<Finding, 'id' | 'rootCause' | 'why'> & {
  readonly id: string | null
  /** The cause in a sentence; null where nobody knows. */
  readonly why: string | null
  /** What a real Redis says of its commands; null where that was not known when it was told. */
  readonly asked?: string | null
  readonly asPlayed?: true
  /** The root cause whose finding it is. */
  readonly root?: RootCause
}

/** `at-most-once: duplicate, also zombie` */
export const kindsText = ({ cause: { invariant, kind }, otherKinds = [] }: Pick<Finding, 'cause' | 'otherKinds'>) =>
  `${invariant}: ${kind}${otherKinds.length === 0 ? '' : `, also ${otherKinds.join(', ')}`}`

type Findings = readonly Finding[]

/** Ids are unique among the findings of one layer and sink only. */
export function findingOf(findings: Findings, pair: PairResult, { finding }: ViolationResult): Finding | undefined {
  return findings.find(
    ({ id, implementation, sink }) => id === finding && implementation === pair.implementation && sink === pair.sink,
  )
}

/**
 * By the violation's finding, which has the smaller run and its story; else as the violation tells
 * it.
 */
export function breakOf(findings: Findings, pair: PairResult, violation: ViolationResult): Break {
  return findingOf(findings, pair, violation) ?? breakOfItsOwn(pair, violation)
}

/** Is it the one that shows its root cause, or has it none? */
export const isExample = ({ id, root }: Break): boolean => root === undefined || root.findings[0] === id

/** The example of its root cause; itself if it has none. */
export function exampleOf(one: Break, { findings, rootCauses }: Pick<Results, 'findings' | 'rootCauses'>): Break {
  const isOfLayer = (other: Pick<Break, 'implementation' | 'sink'>) =>
    other.implementation === one.implementation && other.sink === one.sink
  const root = rootCauses.find((other) => isOfLayer(other) && one.id !== null && other.findings.includes(one.id))
  if (root === undefined) return one
  return { ...(findings.find((other) => isOfLayer(other) && other.id === root.findings[0]) ?? one), root }
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
 * Of a replay or a run on real servers: what was asked for is shown, and nothing smaller was looked
 * for.
 */
export const isAsPlayed = ({ asPlayed }: Break): boolean => asPlayed === true

/** New findings come before known ones, by number. Violations without a finding come last. */
export const newFirst = (a: Break, b: Break): number =>
  Number(a.known === true) - Number(b.known === true) || numberOf(a) - numberOf(b) || worstFirst(a.cause, b.cause)

const numberOf = ({ id }: Break): number => (id === null ? Number.MAX_SAFE_INTEGER : Number(id.slice(1)))

/** Findings, and violations that none of them explains. */
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
    const { rootCause, implementation, sink } = finding
    const root = rootCauses.find(
      (one) => one.id === rootCause && one.implementation === implementation && one.sink === sink,
    )
    return root === undefined ? finding : { ...finding, root }
  })
  const all = [...rooted, ...alone].sort(newFirst)
  return timings === undefined ? all : all.map((one) => ({ ...one, asked: askedPhrase(one, timings) }))
}

/**
 * Was it seen in the scenario in which its run is told? A smaller run may have been found in a
 * cheaper one.
 */
export const isSeenWhereReported = ({ scenario, seenIn }: Pick<Finding, 'scenario' | 'seenIn'>): boolean =>
  seenIn.some((place) => place.scenario === scenario)

/** How many runs of a pair broke, whatever they broke. */
export function runsBroken({ violations, invariants }: PairResult): number {
  const listed = new Set(violations.flatMap(({ runs = [] }) => runs))
  return Math.max(listed.size, ...Object.values(invariants).map(({ runsViolated }) => runsViolated), 0)
}
