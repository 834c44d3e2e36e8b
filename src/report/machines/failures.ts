/** Failures of a campaign for machine-readable reports: by pair, and by root cause. */

import type { PairResult, Results } from '../../contract/results/results.ts'
import { type Break, breakOf, breaksOf, exampleOf, isExample, newFirst, rootOf } from '../break.ts'
import { breakAnchor } from '../page/anchor.ts'

/** `must-hold`: each layer must hold. `as-declared`: each layer must match its `expect`. */
export type Asked = 'must-hold' | 'as-declared'

export const isAskedToHold = ({ expect }: PairResult, asked: Asked): boolean =>
  asked === 'must-hold' || expect === 'holds'

type Found = Pick<Results, 'findings' | 'rootCauses'>

/**
 * The violations of a pair, one for each root cause; empty if the layer held, or was expected to
 * break.
 */
export function failuresOf(pair: PairResult, results: Found, asked: Asked): Break[] {
  if (pair.verdict !== 'violated' || !isAskedToHold(pair, asked)) return []
  const found = new Map(
    pair.violations.map((violation) => {
      const broken = breakOf(results.findings, pair, violation)
      const root = rootOf(broken, results.rootCauses)
      const one = root === undefined ? broken : { ...exampleOf(root, results.findings), root }
      return [breakAnchor(one), one] as const
    }),
  )
  return [...found.values()].sort(newFirst)
}

/** The examples of all root causes that are failures, the likeliest first. */
export function failedExamples(results: Found & Pick<Results, 'pairs'>, asked: Asked): Break[] {
  const failing = new Set(results.pairs.filter((pair) => isAskedToHold(pair, asked)).map(layerOf))
  return breaksOf(results).filter((one) => isExample(one) && failing.has(layerOf(one)))
}

/**
 * A name such as `2. A slow attempt performs after its claim has ended`; `at-most-once: zombie` if
 * there is no root cause.
 */
export const nameOf = ({ root, cause, known }: Break): string => {
  const name = root === undefined ? `${cause.invariant}: ${cause.kind}` : `${root.id}. ${root.title}`
  return known === true ? `${name} (known)` : name
}

/** The name of the root cause; without a root cause, `at-most-once/zombie`. */
export const ruleOf = ({ root, cause }: Pick<Break, 'root' | 'cause'>): string =>
  root?.name ?? `${cause.invariant}/${cause.kind}`

/** The fix on one line; no line if it is unknown. */
export const fixLines = ({ root, instead }: Break): string[] => [
  ...(root?.fix ? [`fix: ${root.fix}`] : []),
  ...(instead === undefined ? [] : [`code: ${instead} (in the package onceproof)`]),
]

/** The cause as a sentence, or else what happened in the shown run. */
export const saidOf = ({ why, sentence }: Break): string => why ?? sentence

const layerOf = ({ implementation, sink }: Pick<PairResult, 'implementation' | 'sink'>): string =>
  `${implementation} ${sink}`
