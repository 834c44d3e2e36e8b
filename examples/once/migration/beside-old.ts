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
  /** An old consumer has had it for `forMs` milliseconds, and has not finished or has died. */
  | { readonly by: 'old'; readonly finished: false; readonly forMs: number }
  | { readonly by: 'old'; readonly finished: true; readonly result: Result }

/** The markers of the old consumers, in their own format. */
export interface OldMarkers<Result> {
  /** Sets the marker in the name of all new consumers, unless it is there. */
  take(key: string): Promise<Taken<Result>>
  /** Stores the result where old consumers look for it. */
  finish(key: string, result: Result): Promise<void>
}

/**
 * The `cause` of `retry` with `prepare-failed`. Deliver the message again. If `forMs` is longer
 * than an old consumer can take, it has died, and a person has to look, as before the migration.
 */
export class OldConsumerHasIt extends Error {
  constructor(readonly forMs: number) {
    super('a consumer with the old guard has this key')
  }
}

export function runBesideOld<Result>(
  once: Once,
  markers: OldMarkers<Result>,
  message: OnceMessage,
  effect: (attempt: Attempt) => Promise<Result>,
): Promise<RunOutcome<Result>> {
  return once.run<Result, Taken<Result>>(message, {
    async prepare() {
      const taken = await markers.take(message.key)
      if (taken.by === 'old' && !taken.finished) throw new OldConsumerHasIt(taken.forMs)
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
