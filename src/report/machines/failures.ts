/** Failures of a campaign, as machines list them: by pair, and by root cause. */

import type { PairResult, Results } from '../../contract/results/results.ts'
import { type Break, breakOf, breaksOf, exampleOf, isExample, newFirst } from '../break.ts'
import { breakAnchor } from '../page/anchor.ts'

/** What is asked of layers: that each holds, or that each is what its file declares (`expect`). */
export type Asked = 'must-hold' | 'as-declared'

export const isAskedToHold = ({ expect }: PairResult, asked: Asked): boolean =>
  asked === 'must-hold' || expect === 'holds'

type Found = Pick<Results, 'findings' | 'rootCauses'>

/** How a pair broke, each root cause once; empty if it held, or was to break. */
export function failuresOf(pair: PairResult, results: Found, asked: Asked): Break[] {
  if (pair.verdict !== 'violated' || !isAskedToHold(pair, asked)) return []
  const found = new Map(
    pair.violations.map((violation) => {
      const one = exampleOf(breakOf(results.findings, pair, violation), results)
      return [breakAnchor(one), one] as const
    }),
  )
  return [...found.values()].sort(newFirst)
}

/** The example of every root cause that is a failure, the likeliest first. */
export function failedExamples(results: Found & Pick<Results, 'pairs'>, asked: Asked): Break[] {
  const failing = new Set(results.pairs.filter((pair) => isAskedToHold(pair, asked)).map(layerOf))
  return breaksOf(results).filter((one) => isExample(one) && failing.has(layerOf(one)))
}

/**
 * `2. A slow attempt performs after its claim has ended`, or `at-most-once: zombie` without a root
 * cause.
 */
export const nameOf = ({ root, cause, known }: Break): string => {
  const name = root === undefined ? `${cause.invariant}: ${cause.kind}` : `${root.id}. ${root.title}`
  return known === true ? `${name} (known)` : name
}

/** `at-most-once/zombie`, or the name of the root cause. */
export const ruleOf = ({ root, cause }: Pick<Break, 'root' | 'cause'>): string =>
  root?.name ?? `${cause.invariant}/${cause.kind}`

/** The change, on a line; none if it is not known. */
export const fixLines = ({ root }: Break): string[] => (root?.fix ? [`fix: ${root.fix}`] : [])

/** The cause in a sentence, or what happened in the run that is shown. */
export const saidOf = ({ why, sentence }: Break): string => why ?? sentence

const layerOf = ({ implementation, sink }: Pick<PairResult, 'implementation' | 'sink'>): string =>
  `${implementation} ${sink}`
