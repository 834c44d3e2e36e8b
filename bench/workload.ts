/** The workload of all contenders, and its required outcome. */
import type { Message } from '../src/contract/api/message.ts'

export const consumers = 3

/**
 * Two of the five messages share a key. The second of these messages must be answered with the
 * result of the first.
 */
const keys = ['order-1', 'order-2', 'order-3', 'order-4', 'order-4']

export const messages: readonly Message[] = keys.map((key, at) => ({
  id: `message-${at + 1}`,
  key,
  payload: { order: Number(key.slice(6)), amountCents: 1000 },
  producedAt: 1_767_225_600_000,
}))

/**
 * This consumer dies before its first effect is sent, while it holds a lease. Its messages are
 * delivered again to the other consumers.
 */
export const doomedConsumer = 0

/** The lease is as long as in production, because it costs nothing in virtual time. */
export const virtualLeaseMs = 1000
/**
 * The lease is as short as a server and three clients on one machine can reliably keep, because it
 * costs real time.
 */
export const realLeaseMs = 15
export const retentionMs = 10_000

/** The outcome of one run. */
export interface RunEnd {
  /** Keys of the effects that were applied, in any order. */
  readonly effects: readonly string[]
  readonly settled: number
  readonly crashes: number
  readonly deliveries: number
}

const expectedEffects = [...new Set(keys)].sort().join(' ')

/**
 * Why a run did not end as every run must; null if it did. A run must have one effect for each key,
 * every message settled, and one crash.
 */
export function problemOf(run: RunEnd): string | null {
  const effects = [...run.effects].sort().join(' ')
  if (effects !== expectedEffects) return `its effects are "${effects}" and must be "${expectedEffects}"`
  if (run.settled !== messages.length) return `${run.settled} of ${messages.length} messages were settled`
  return run.crashes === 1 ? null : `${run.crashes} consumers crashed, and one must`
}
