/** The exit code of a command. If several apply, the order of precedence is 130, 3, 1, 4, 0. */

import type { CanaryResult } from '../../contract/api/canary.ts'
import { type ExitCode, exitCodes } from '../../contract/api/exit-codes.ts'
import type { PairResult } from '../../contract/results/results.ts'

/** The contribution of one result to the exit code of its command. */
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

/** Every layer must hold. */
export const mustHold: ExitPolicy<Pick<PairResult, 'verdict'>> = ({ verdict }) => byVerdict[verdict]

/**
 * Every layer must be what it declares. A layer that declares itself broken need not break in every
 * cell, nor reach every goal before it does. An unsupported command makes even that layer unknown.
 */
export const asDeclared: ExitPolicy<Pick<PairResult, 'verdict' | 'expect' | 'unsupportedCommands'>> = (pair) => {
  if (pair.expect === 'holds' || pair.verdict === 'error') return mustHold(pair)
  return pair.unsupportedCommands.length > 0 ? 'unknown' : 'ok'
}

/**
 * A configuration search looks for the cells in which a layer breaks, so breaking is not a failure.
 */
export const mayBreak: ExitPolicy<Pick<PairResult, 'verdict'>> = (pair) =>
  pair.verdict === 'violated' ? 'ok' : mustHold(pair)

/** If a canary's fate contradicts its file, the harness cannot be trusted. */
export const asHunted: ExitPolicy<Pick<CanaryResult, 'fate'>> = ({ fate }) =>
  fate === 'caught' || fate === 'lives' ? 'ok' : 'harness'
