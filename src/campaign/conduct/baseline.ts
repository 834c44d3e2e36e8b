/**
 * Findings that an earlier campaign had: a build that compares with them fails for new root causes
 * only.
 */
import type { Finding } from '../../contract/results/results.ts'
import { isSameCause } from '../explain/same-cause.ts'
import type { Baseline } from '../play/campaign-request.ts'
import type { PlayedPair } from '../play/pair-progress.ts'

const reasoned = ({ cause, why }: Baseline[number], kind = cause.kind) => ({ cause: { ...cause, kind }, reason: why })

export function markKnown(findings: readonly Finding[], baseline: Baseline | undefined): readonly Finding[] {
  if (baseline === undefined) return findings
  return findings.map((finding) => {
    const isKnown = baseline.some(
      (one) =>
        one.implementation === finding.implementation &&
        one.sink === finding.sink &&
        [one.cause.kind, ...(one.otherKinds ?? [])].some((kind) => isSameCause(reasoned(one, kind), reasoned(finding))),
    )
    return isKnown ? { ...finding, known: true as const } : finding
  })
}

/** Are all findings of the pair known? A past failure that broke again has no finding. */
export function isKnown({ pair, progress: { task }, again }: PlayedPair, findings: readonly Finding[]): boolean {
  const { id } = pair.implementation.implementation
  const seen = findings.filter(
    ({ implementation, sink, seenIn }) =>
      implementation === id && sink === task.sink && seenIn.some(({ scenario }) => scenario === task.scenarioName),
  )
  return again.length === 0 && seen.length > 0 && seen.every(({ known }) => known === true)
}
