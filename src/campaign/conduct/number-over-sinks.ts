/**
 * Numbers the root causes and findings of a layer once over all of its sinks, so that `replay 1`
 * and `open F1` name one run.
 */
import { sinkKinds } from '../../contract/api/sink.ts'
import type { CampaignViolation } from '../../contract/results/results.ts'
import type { PlayedPair } from '../play/pair-progress.ts'
import type { Findings } from './findings.ts'

/**
 * `found`: the findings of each of `layers`, numbered from 1 for each. The order of sinks is that
 * of the results.
 */
export function numberedOverSinks<Found extends Findings>(
  layers: readonly (readonly PlayedPair[])[],
  found: readonly Found[],
): Found[] {
  const idOf = (at: number) => layers[at]![0]!.pair.implementation.implementation.id
  const sinkOf = (at: number) => sinkKinds.indexOf(layers[at]![0]!.progress.task.sink)
  return found.map((one, at) => {
    const before = found.filter(
      (_, other) => idOf(other) === idOf(at) && (sinkOf(other) - sinkOf(at) || other - at) < 0,
    )
    const roots = before.reduce((sum, { rootCauses }) => sum + rootCauses.length, 0)
    const findings = before.reduce((sum, other) => sum + other.findings.length, 0)
    return findings === 0 ? one : numberedAfter(one, roots, findings)
  })
}

/** `roots`, `findings`: how many root causes and findings come before `found`. */
function numberedAfter<Found extends Findings>(found: Found, roots: number, findings: number): Found {
  const rootId = (id: string) => String(Number(id) + roots)
  const findingId = (id: string) => `F${Number(id.slice(1)) + findings}`
  const renumbered = new Map(
    found.findings.map((one) => [one, { ...one, id: findingId(one.id), rootCause: rootId(one.rootCause) }]),
  )
  const ofViolation = (one: CampaignViolation) =>
    one.finding === undefined ? one : { ...one, finding: findingId(one.finding) }
  return {
    ...found,
    rootCauses: found.rootCauses.map((root) => ({
      ...root,
      id: rootId(root.id),
      findings: root.findings.map(findingId),
    })),
    findings: [...renumbered.values()],
    violations: new Map([...found.violations].map(([pair, own]) => [pair, own.map(ofViolation)])),
    shown: found.shown.map((one) => ({ ...one, finding: renumbered.get(one.finding)! })),
  }
}
