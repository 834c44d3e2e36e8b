/** The exit code of a command. If several apply, the order of precedence is 130, 3, 1, 4, 0. */

import type { CanaryResult } from '../../contract/api/canary.ts'
import { type ExitCode, exitCodes } from '../../contract/api/exit-codes.ts'
import type { PairResult } from '../../contract/results/results.ts'

/** The contribution of one result to the exit code of its command. */
export type Contribution = 'harness' | 'violated' | 'unknown' | 'ok'

/** Determines the contribution of one result. */
export type ExitPolicy<T> = (result: T) => Contribution

interface Ending {
  readonly interrupted?: boolean
  /** True if the harness cannot be trusted, whatever the results are. */
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

/** The policy that every layer must hold. */
export const mustHold: ExitPolicy<Pick<PairResult, 'verdict'>> = ({ verdict }) => byVerdict[verdict]

/**
 * The policy that every layer must match its declaration. A layer that declares itself broken need
 * not break in every cell, and need not reach every goal. An unsupported command makes even such a
 * layer unknown.
 */
export const asDeclared: ExitPolicy<Pick<PairResult, 'verdict' | 'expect' | 'unsupportedCommands'>> = (pair) => {
  if (pair.expect === 'holds' || pair.verdict === 'error') return mustHold(pair)
  return pair.unsupportedCommands.length > 0 ? 'unknown' : 'ok'
}

/**
 * The policy of a configuration search, which looks for the cells in which a layer breaks: breaking
 * is not a failure.
 */
export const mayBreak: ExitPolicy<Pick<PairResult, 'verdict'>> = (pair) =>
  pair.verdict === 'violated' ? 'ok' : mustHold(pair)

/**
 * The policy for canaries: if a canary's result contradicts its file, the harness cannot be
 * trusted.
 */
export const asHunted: ExitPolicy<Pick<CanaryResult, 'fate'>> = ({ fate }) =>
  fate === 'caught' || fate === 'lives' ? 'ok' : 'harness'
