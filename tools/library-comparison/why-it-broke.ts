import type { Results, ViolationResult } from '../../src/contract/results/results.ts'
import { printedBy } from '../printed-by.ts'

/**
 * The cause in one clause, from a replay of the run; null if the replay gives none, or if there is
 * no token. Starts a program only if `impl` names one.
 * @throws if the run does not break as before
 */
export function whyItBroke({ token, invariant, kind }: ViolationResult, impl: string): string | null {
  if (token === null) return null
  const { pairs } = printedBy(['replay', token, '--impl', impl, '--json']).json as Pick<Results, 'pairs'>
  const found = pairs[0]?.violations.find((one) => one.invariant === invariant && one.kind === kind)
  if (found === undefined) throw new Error(`${token} does not break as it did; play the library comparison again`)
  // Without a known cause, `why` repeats the sentence.
  return found.why === undefined || found.why === found.sentence ? null : found.why
}
