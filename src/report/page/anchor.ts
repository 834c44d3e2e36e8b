import type { PairResult } from '../../contract/results/results.ts'
import type { Break } from '../break.ts'

const anchor = (...parts: readonly (string | number)[]): string => parts.join('-').replaceAll(/[^\w-]+/g, '-')

/** The anchor of the evidence for a pair's verdict. */
export const pairAnchor = ({
  implementation,
  scenario,
  sink,
}: Pick<PairResult, 'implementation' | 'scenario' | 'sink'>): string => anchor('pair', implementation, scenario, sink)

/** The anchor of a violation. */
export function breakAnchor({ id, implementation, scenario, sink, cause, run, key }: Break): string {
  if (id !== null) return anchor('finding', implementation, sink, id)
  return anchor('broke', implementation, scenario, sink, cause.invariant, cause.kind, run, key ?? '')
}
