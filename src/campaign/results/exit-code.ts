/** What a command ends with. Where several codes apply: 130, then 3, then 1, then 4, then 0. */

import type { CanaryResult } from '../../contract/api/canary.ts'
import { type ExitCode, exitCodes } from '../../contract/api/exit-codes.ts'
import type { PairResult } from '../../contract/results/results.ts'

/** What one result contributes to the exit code of its command. */
export type Contribution = 'harness' | 'violated' | 'unknown' | 'ok'

/** Reads one result as a contribution. */
export type ExitPolicy<T> = (result: T) => Contribution

interface Ending {
  readonly interrupted?: boolean
  /** The harness cannot be trusted, whatever the results say. */
  readonly harnessFailed?: boolean
}

const precedence = ['harness', 'violated', 'unknown', 'ok'] as const satisfies readonly Contribution[]

export function exitCodeOf<T>(
  results: readonly T[],
  policy: ExitPolicy<T>,
  { interrupted = false, harnessFailed = false }: Ending = {},
): ExitCode {
  if (interrupted) return exitCodes.interrupted
  if (harnessFailed) return exitCodes.harness
  const contributions = new Set(results.map(policy))
  return exitCodes[precedence.find((one) => contributions.has(one)) ?? 'ok']
}

const byVerdict = { error: 'harness', violated: 'violated', unknown: 'unknown', pass: 'ok' } as const

/** Every layer is to hold. */
export const mustHold: ExitPolicy<Pick<PairResult, 'verdict'>> = ({ verdict }) => byVerdict[verdict]

/**
 * A layer is to be what it declares. One that declares itself broken need not break in every cell,
 * nor reach every goal before it does; a command that is not simulated leaves even that layer
 * unknown.
 */
export const asDeclared: ExitPolicy<Pick<PairResult, 'verdict' | 'expect' | 'unsupportedCommands'>> = (pair) => {
  if (pair.expect === 'holds' || pair.verdict === 'error') return mustHold(pair)
  return pair.unsupportedCommands.length > 0 ? 'unknown' : 'ok'
}

/**
 * A configuration search looks for the cells where a layer breaks, so that breaking is an answer.
 */
export const mayBreak: ExitPolicy<Pick<PairResult, 'verdict'>> = (pair) =>
  pair.verdict === 'violated' ? 'ok' : mustHold(pair)

/** A canary that is not what its file says: the harness cannot be trusted. */
export const asHunted: ExitPolicy<Pick<CanaryResult, 'fate'>> = ({ fate }) =>
  fate === 'caught' || fate === 'lives' ? 'ok' : 'harness'
