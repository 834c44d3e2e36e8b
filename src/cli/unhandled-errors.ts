/**
 * Handles uncaught exceptions and unhandled rejections. By default Node would exit with 1, which
 * means a violation. Instead, such an error counts as a failure of the harness: the current work
 * stops, the results so far are written, and the exit code is 3.
 */
import { exitCodes } from '../contract/api/exit-codes.ts'
import { visible } from '../contract/results/visible.ts'
import { withSourcePositions } from './source-positions.ts'

/** How long a stopping command may take to report its results, in milliseconds. */
const lastWordsMs = 30_000

let first: { readonly error: unknown } | null = null
let stop: (() => void) | null = null

/**
 * Starts to listen for such errors; called once, before any command. `report` gets the first error
 * as one line.
 */
export function listenForUnhandledErrors(report: (text: string) => void): void {
  const onUnhandledError = (error: unknown): void => {
    if (first !== null) return
    first = { error }
    report(unhandledErrorText()!)
    if (stop === null) process.exit(exitCodes.harness)
    stop()
    setTimeout(() => process.exit(exitCodes.harness), lastWordsMs).unref()
  }
  process.on('uncaughtException', onUnhandledError)
  process.on('unhandledRejection', onUnhandledError)
  process.on('beforeExit', () => onUnhandledError(new Error('the command waits for an event that can never happen')))
}

/**
 * Makes an unhandled error call `stopping`, which must end the current work, until the returned
 * function is called.
 */
export function stopOnUnhandledError(stopping: () => void): () => void {
  stop = stopping
  return () => (stop = null)
}

/** The error in one line; null if there was none. */
export function unhandledErrorText(): string | null {
  return first === null ? null : `unhandled error: ${lineOf(first.error)}`
}

/** The message and the first stack frame. */
function lineOf(error: unknown): string {
  if (!(error instanceof Error)) return visible(String(error))
  const frame = /^\s+at (.*)$/m.exec(withSourcePositions(error.stack ?? ''))?.[1]
  return visible(`${error.message}${frame === undefined ? '' : ` (at ${frame.replace(/data:[^\s)]*/, 'a scenario')})`}`)
}
