/**
 * Consumers with `once` beside consumers with an older guard, on one queue. Both take the old
 * marker before the effect, so at most one kind of consumer sends it. Among themselves, the new
 * consumers are guarded by `once`.
 */
import type { Attempt, Once, OnceMessage, RunOutcome } from 'onceproof/once'

/** What the old marker says to a new consumer that tried to take it. */
export type Taken<Result> =
  /** This consumer or another new one has it. */
  | { readonly by: 'once' }
  /** An old consumer has it and has not finished, or has died. */
  | { readonly by: 'old'; readonly finished: false }
  | { readonly by: 'old'; readonly finished: true; readonly result: Result }

/** The markers of the old consumers, in their own format. */
export interface OldMarkers<Result> {
  /** Sets the marker in the name of all new consumers, unless it is there. */
  take(key: string): Promise<Taken<Result>>
  /** Stores the result where old consumers look for it. */
  finish(key: string, result: Result): Promise<void>
}

/** The `cause` of `retry` with `prepare-failed`. */
export class OldConsumerHasIt extends Error {}

export function runBesideOld<Result>(
  once: Once,
  markers: OldMarkers<Result>,
  message: OnceMessage,
  effect: (attempt: Attempt) => Promise<Result>,
): Promise<RunOutcome<Result>> {
  return once.run<Result, Taken<Result>>(message, {
    async prepare() {
      const taken = await markers.take(message.key)
      if (taken.by === 'old' && !taken.finished) throw new OldConsumerHasIt(message.key)
      return taken
    },
    async effect(attempt, taken) {
      if (taken.by === 'old' && taken.finished) return taken.result
      const result = await effect(attempt)
      // The effect has happened, whether or not old consumers learn of it.
      await markers.finish(message.key, result).catch(() => {})
      return result
    },
  })
}
