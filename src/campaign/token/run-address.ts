import type { PairName } from './pair-ref.ts'

/** One run of a pair, as a campaign draws it. */
export interface RunAddress extends PairName {
  readonly seed: number
  readonly run: number
}
