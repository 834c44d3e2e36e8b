/** Compares the root causes of a campaign with those of the report that it replaces. */
import type { Results, RootCause } from '../contract/results/results.ts'

type Compared = Pick<Results, 'rootCauses' | 'findings' | 'pairs'>

/**
 * `since the last report: new crash; still there look-then-write, throws; gone replica`. Null if
 * there is nothing to compare. A root cause is gone if a scenario that showed it was played again.
 */
export function sinceLast(results: Compared, before: Compared | null): string | null {
  if (before === null) return null
  const layers = new Set(results.pairs.map(layerOf))
  const old = before.rootCauses.filter((one) => layers.has(layerOf(one)))
  const layersBefore = new Set(before.pairs.map(layerOf))
  const found = results.rootCauses.filter((one) => layersBefore.has(layerOf(one)))
  const has = (all: readonly RootCause[], one: RootCause) =>
    all.some((other) => layerOf(other) === layerOf(one) && other.name === one.name)
  const parts = [
    ['new', found.filter((one) => !has(old, one))],
    ['still there', found.filter((one) => has(old, one))],
    ['gone', old.filter((one) => !has(found, one) && wasPlayedAgain(one, before, results))],
  ] as const
  const texts = parts.flatMap(([word, all]) => (all.length === 0 ? [] : [`${word} ${namesOf(all)}`]))
  return texts.length === 0 ? null : `since the last report: ${texts.join('; ')}`
}

function wasPlayedAgain(one: RootCause, { findings }: Compared, { pairs }: Compared): boolean {
  const scenarios = new Set(
    findings
      .filter((finding) => layerOf(finding) === layerOf(one) && finding.rootCause === one.id)
      .flatMap(({ seenIn }) => seenIn.map(({ scenario }) => scenario)),
  )
  return pairs.some((pair) => layerOf(pair) === layerOf(one) && scenarios.has(pair.scenario))
}

const namesOf = (all: readonly RootCause[]): string => [...new Set(all.map(({ name }) => name))].join(', ')

const layerOf = ({ implementation, sink }: Pick<RootCause, 'implementation' | 'sink'>): string =>
  `${implementation} ${sink}`
