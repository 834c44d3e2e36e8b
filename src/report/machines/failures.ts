/** What a campaign found that should make a build red, as machines list it: by pair, and by finding. */

import type { PairResult, Results } from '../../contract/results/results.ts'
import { type Break, breakOf, breaksOf, newFirst } from '../break.ts'
import { breakAnchor } from '../page/anchor.ts'

/** What is asked of layers: that each holds, or that each is what its file declares (`expect`). */
export type Asked = 'must-hold' | 'as-declared'

export const isAskedToHold = ({ expect }: PairResult, asked: Asked): boolean =>
  asked === 'must-hold' || expect === 'holds'

/** How a pair broke, each way once, the gravest first; empty where it held, or was to break. */
export function failuresOf(pair: PairResult, { findings }: Pick<Results, 'findings'>, asked: Asked): Break[] {
  if (pair.verdict !== 'violated' || !isAskedToHold(pair, asked)) return []
  const found = new Map(
    pair.violations.map((violation) => {
      const one = breakOf(findings, pair, violation)
      return [breakAnchor(one), one] as const
    }),
  )
  return [...found.values()].sort(newFirst)
}

/** Every finding that is a failure, the gravest first. */
export function failedFindings(results: Pick<Results, 'pairs' | 'findings'>, asked: Asked): Break[] {
  const failing = new Set(results.pairs.filter((pair) => isAskedToHold(pair, asked)).map(layerOf))
  return breaksOf(results).filter((one) => failing.has(layerOf(one)))
}

/** `F2 at-most-once: zombie` */
export const nameOf = ({ id, cause, known }: Break): string =>
  `${id === null ? '' : `${id} `}${cause.invariant}: ${cause.kind}${known === true ? ' (known)' : ''}`

/** The cause in a sentence, or what happened in the run that is shown. */
export const saidOf = ({ why, sentence }: Break): string => why ?? sentence

const layerOf = ({ implementation, sink }: Pick<PairResult, 'implementation' | 'sink'>): string =>
  `${implementation} ${sink}`
