/** The exit codes of `replay-live`. */
import { type ExitCode, exitCodes } from '../contract/api/exit-codes.ts'
import type { LiveReplay } from '../contract/results/live-replay.ts'

/**
 * The exit code for passing runs. A pass that breaks on real servers is a violation, unless the run
 * was inconclusive.
 */
export function codeOfPasses(made: readonly LiveReplay[], interrupted: boolean): ExitCode {
  if (interrupted) return exitCodes.interrupted
  if (made.some(({ answer, seen }) => answer === 'not confirmed' && seen.length > 0)) return exitCodes.violated
  const all = made.length > 0 && made.every(({ answer }) => answer === 'confirmed')
  return all ? exitCodes.ok : exitCodes.unknown
}

/** The exit code for the tries of one run: violated if at least one try confirmed the violation. */
export function codeOfTries(made: readonly LiveReplay[], interrupted: boolean): ExitCode {
  if (interrupted) return exitCodes.interrupted
  return made.some(({ answer }) => answer === 'confirmed') ? exitCodes.violated : exitCodes.unknown
}
