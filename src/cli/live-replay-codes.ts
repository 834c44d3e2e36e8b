/** The exit codes of `replay-live`. */
import { type ExitCode, exitCodes } from '../contract/api/exit-codes.ts'
import type { LiveReplay } from '../contract/results/live-replay.ts'

/** A pass that breaks on real servers is a violation, unless the machine may have been too slow. */
export function codeOfPasses(made: readonly LiveReplay[], interrupted: boolean): ExitCode {
  if (interrupted) return exitCodes.interrupted
  if (made.some(({ answer, seen }) => answer === 'not confirmed' && seen.length > 0)) return exitCodes.violated
  const all = made.length > 0 && made.every(({ answer }) => answer === 'confirmed')
  return all ? exitCodes.ok : exitCodes.unknown
}

/** One confirmed try is enough. */
export function codeOfTries(made: readonly LiveReplay[], interrupted: boolean): ExitCode {
  if (interrupted) return exitCodes.interrupted
  return made.some(({ answer }) => answer === 'confirmed') ? exitCodes.violated : exitCodes.unknown
}
