/**
 * Errors that nobody handled: a rejection, an exception in a callback. Node would end with 1, which
 * means that a layer is violated. Here they are a failure of the harness: what is under way stops,
 * what was found is written, and the exit code is 3.
 */
import { exitCodes } from '../contract/api/exit-codes.ts'
import { visible } from '../contract/results/visible.ts'
import { withSourcePositions } from './source-positions.ts'

/** What stops after its current run has this long for its last words. */
const lastWordsMs = 30_000

let first: { readonly error: unknown } | null = null
let stop: (() => void) | null = null

/** Called once, before any command. `tell` gets one line's text. */
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
 * While `stopping` can end what is under way, an unhandled error does that; returns what takes it
 * back.
 */
export function stopOnUnhandledError(stopping: () => void): () => void {
  stop = stopping
  return () => (stop = null)
}

/** What happened, in one line; null where nothing did. */
export function unhandledErrorText(): string | null {
  return first === null ? null : `unhandled error: ${lineOf(first.error)}`
}

/** Its message, and where it came from. */
function lineOf(error: unknown): string {
  if (!(error instanceof Error)) return visible(String(error))
  const frame = /^\s+at (.*)$/m.exec(withSourcePositions(error.stack ?? ''))?.[1]
  return visible(`${error.message}${frame === undefined ? '' : ` (at ${frame.replace(/data:[^\s)]*/, 'a scenario')})`}`)
}
