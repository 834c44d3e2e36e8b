/** Root causes of an earlier campaign, which do not fail this one. */
import type { Finding, RootCause } from '../../contract/results/results.ts'
import type { Baseline } from '../play/campaign-request.ts'
import type { PlayedPair } from '../play/pair-progress.ts'

interface Found {
  readonly rootCauses: readonly RootCause[]
  readonly findings: readonly Finding[]
}

export function markKnown({ rootCauses, findings }: Found, baseline: Baseline | undefined): Found {
  if (baseline === undefined) return { rootCauses, findings }
  const isKnown = (root: RootCause) =>
    baseline.some(
      ({ implementation, sink, name }) =>
        implementation === root.implementation && sink === root.sink && name === root.name,
    )
  const marked = rootCauses.map((root) => (isKnown(root) ? { ...root, known: true as const } : root))
  const ofKnown = (finding: Finding) =>
    marked.some(
      ({ id, implementation, sink, known }) =>
        known && id === finding.rootCause && implementation === finding.implementation && sink === finding.sink,
    )
  return {
    rootCauses: marked,
    findings: findings.map((finding) => (ofKnown(finding) ? { ...finding, known: true as const } : finding)),
  }
}

/**
 * True if all findings of the pair are known. A past failure of the corpus that broke again has no
 * finding, so the pair is not known.
 */
export function isKnown({ pair, progress: { task }, again }: PlayedPair, findings: readonly Finding[]): boolean {
  const { id } = pair.implementation.implementation
  const seen = findings.filter(
    ({ implementation, sink, seenIn }) =>
      implementation === id && sink === task.sink && seenIn.some(({ scenario }) => scenario === task.scenarioName),
  )
  return again.length === 0 && seen.length > 0 && seen.every(({ known }) => known === true)
}
