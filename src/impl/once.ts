/**
 * Once: at most one effect per idempotency key, among competing consumers, on Redis.
 *
 *     const once = createOnce({ redis: { host: 'localhost' }, leaseMs: 10_000, retentionMs: 7 * 86_400_000 })
 *     const outcome = await once.run(message, async ({ key }) => charge(key, message.payload))
 *
 * What is guaranteed, and on which assumptions: docs/guarantees.md.
 */
import { attempt } from './attempt.ts'
import { Connection } from './connection.ts'
import { reconcile } from './doubt.ts'
import { ended } from './events.ts'
import type { Layer } from './layer.ts'
import { type OnceOptions, settingsOf } from './options.ts'
import { type RunOutcome, retry } from './outcome.ts'
import { stored } from './record-done.ts'
import { type Acquired, type Claim, claim, Records } from './records.ts'
import type { Effect, OnceMessage, Work } from './work.ts'

export { type Adopted, type AdoptOptions, adopt } from './adopt.ts'
export type { OnceEvent } from './events.ts'
export type { Doubt, OnceOptions, Raised, Reconciled, SinkRules } from './options.ts'
export type { DoubtReason, RetryReason, RunOutcome } from './outcome.ts'
export type { ClusterAt, RedisAt } from './redis-at.ts'
export type { Attempt, Effect, OnceMessage, Preparation, Work } from './work.ts'

export interface Once {
  /**
   * Performs the effect of a message, unless it was performed before: then answers with the result that it gave.
   *
   * The effect starts only after Redis has answered that its start is on record, so it cannot be sent unguarded. Any
   * number of runs may overlap, in one process and in many. Each step waits for a silent Redis for two time-outs of a
   * command (at most four seconds), a begin that waits for replicas for seven at worst; `prepare` is waited for within the lease, and the effect for as long as it takes.
   *
   * Rejects with `TypeError` for mistakes in the call, before anything is done: no key, no birth, a key that is not
   * well-formed Unicode, a payload that JSON does not give back. Every other trouble is an outcome.
   */
  run<Result, Prepared = undefined>(
    message: OnceMessage,
    work: Effect<undefined, Result> | Work<Prepared, Result>,
  ): Promise<RunOutcome<Result>>
  /** Disconnects. Runs that are under way can no longer record anything, and answer accordingly. */
  close(): void
}

/** Connects at once, in the background. Throws `RangeError` for times and numbers that cannot work. */
export function createOnce(options: OnceOptions): Once {
  const settings = settingsOf(options)
  const { tell, heard } = settings
  const layer: Layer = { settings, records: new Records(new Connection(options.redis, settings), settings) }
  return {
    run(message, work) {
      const sinceMs = performance.now()
      const outcome = typeof work === 'function' ? run(layer, message, bare(work)) : run(layer, message, work)
      // Beside what the caller waits for, which is the same whether somebody listens or not.
      if (heard) outcome.then((told) => tell(ended(message.key, told, sinceMs))).catch(() => {}) // a mistake in the call
      return outcome
    },
    close: () => layer.records.close(),
  }
}

function bare<Result>(effect: Effect<undefined, Result>): Work<undefined, Result> {
  return { prepare: async () => undefined, effect }
}

async function run<Prepared, Result>(
  layer: Layer,
  message: OnceMessage,
  work: Work<Prepared, Result>,
): Promise<RunOutcome<Result>> {
  const claimed = claim(message, layer.settings)
  const found = await layer.records.acquire(claimed)
  return found.status === 'acquired' ? attempt(layer, found.hold, work) : answer(layer, claimed, found)
}

/** The key could not be taken: what that means for the message. */
async function answer<Result>(
  layer: Layer,
  claimed: Claim,
  found: Exclude<Acquired, { status: 'acquired' }>,
): Promise<RunOutcome<Result>> {
  const { soonMs } = layer.settings
  switch (found.status) {
    case 'completed':
      return stored(found, true)
    case 'refused':
      return { status: 'refused', error: found.error, repeated: true }
    case 'conflict':
      return { status: 'conflict' }
    case 'held':
      return retry('held', Math.min(found.leftMs, soonMs))
    case 'unreachable':
      return retry('redis-unreachable', soonMs, found.error)
    case 'evicts':
      return retry(
        'redis-evicts',
        soonMs,
        new Error(`Redis may evict records: set maxmemory-policy to noeviction, not ${found.policy}`),
      )
    case 'in-doubt':
      return reconcile(layer, claimed, found.begin, { status: 'in-doubt', reason: found.reason })
  }
}
