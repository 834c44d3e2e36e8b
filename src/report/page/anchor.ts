import type { PairResult } from '../../contract/results.ts'

/** Where the page tells what a pair's verdict rests on. */
export const pairAnchor = ({ implementation, scenario, sink }: PairResult): string =>
  `pair-${implementation}-${scenario}-${sink}`.replaceAll(/[^\w-]+/g, '-')
