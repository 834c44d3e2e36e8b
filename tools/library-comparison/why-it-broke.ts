import type { Results, ViolationResult } from '../../src/contract/results/results.ts'
import { printedBy } from '../printed-by.ts'

/**
 * The cause in one clause, as the run itself tells it when it is played once more; null where it
 * tells none, or has no token. A program is started only where `impl` names it.
 * @throws where it does not break as it did
 */
export function whyItBroke({ token, invariant, kind }: ViolationResult, impl: string): string | null {
  if (token === null) return null
  const { pairs } = printedBy(['replay', token, '--impl', impl, '--json']).json as Pick<Results, 'pairs'>
  const found = pairs[0]?.violations.find((one) => one.invariant === invariant && one.kind === kind)
  if (found === undefined) throw new Error(`${token} does not break as it did; play the library comparison again`)
  // Where no cause is known, it says what happened.
  return found.why === undefined || found.why === found.sentence ? null : found.why
}
