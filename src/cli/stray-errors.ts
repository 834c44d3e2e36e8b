/**
 * Errors that nobody handled: a rejection, an exception in a callback. Node would end with 1, which means that a layer is
 * violated. Here they are a failure of the harness: what is under way stops, what was found is written, and the exit
 * code is 3.
 */
import { exitCodes } from '../contract/api/exit-codes.ts'
import { visible } from '../contract/results/visible.ts'
import { withSourcePositions } from './source-positions.ts'

/** What stops after its current run has this long for its last words. */
const lastWordsMs = 30_000

let first: { readonly error: unknown } | null = null
let stop: (() => void) | null = null

/** Called once, before any command. `tell` gets one line's text. */
export function listenForStrays(report: (text: string) => void): void {
  const onStray = (error: unknown): void => {
    if (first !== null) return
    first = { error }
    report(strayText()!)
    if (stop === null) process.exit(exitCodes.harness)
    stop()
    setTimeout(() => process.exit(exitCodes.harness), lastWordsMs).unref()
  }
  process.on('uncaughtException', onStray)
  process.on('unhandledRejection', onStray)
  process.on('beforeExit', () => onStray(new Error('the command waits for something that cannot come')))
}

/** While `stopping` can end what is under way, a stray error does that; returns what takes it back. */
export function stopOnStray(stopping: () => void): () => void {
  stop = stopping
  return () => (stop = null)
}

/** What happened, in one line; null where nothing did. */
export function strayText(): string | null {
  return first === null ? null : `an error that nobody handled: ${lineOf(first.error)}`
}

/** Its message, and where it came from. */
function lineOf(error: unknown): string {
  if (!(error instanceof Error)) return visible(String(error))
  const frame = /^\s+at (.*)$/m.exec(withSourcePositions(error.stack ?? ''))?.[1]
  return visible(`${error.message}${frame === undefined ? '' : ` (at ${frame.replace(/data:[^\s)]*/, 'a scenario')})`}`)
}
