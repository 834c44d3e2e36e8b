/** Records which outputs could not be written. The command continues without them. */
import { type ExitCode, exitCodes } from '../contract/api/exit-codes.ts'
import { visible } from '../contract/results/visible.ts'

const unwritten = new Set<string>()

/**
 * Calls `write`. If it fails with an error of the file system, returns false, and a line on
 * standard error reports the output.
 * @throws any other error
 */
export function written(output: string, remedyOf: (code: string) => string, write: () => void): boolean {
  try {
    write()
    return true
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (typeof code !== 'string') throw error
    reportUnwritten(output, remedyOf(code))
    return false
  }
}

export function reportUnwritten(output: string, remedy: string): void {
  if (unwritten.has(output)) return
  unwritten.add(output)
  process.stderr.write(`onceproof: ${visible(output)}: ${remedy}\n`)
}

/** Clears the record; called when a command starts. */
export function forgetUnwritten(): void {
  unwritten.clear()
}

/**
 * The exit code of a command if outputs may be missing. A violation and a failure of the harness
 * take precedence over a missing output.
 */
export function exitCodeWithUnwritten(exitCode: ExitCode): ExitCode {
  const isGraver = exitCode === exitCodes.violated || exitCode === exitCodes.harness
  return unwritten.size > 0 && !isGraver ? exitCodes.usage : exitCode
}
