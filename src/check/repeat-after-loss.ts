/**
 * Detects that a record that should have prevented a repeat was gone: its store had lost it, or it
 * had expired.
 */
import type { RunHeader } from '../contract/api/history.ts'
import type { EventOf, HistoryIndex } from '../contract/api/history-index.ts'
import type { Plan } from '../contract/api/plan.ts'
import { keysNamedIn } from '../contract/results/keys-named-in.ts'
import { msText } from '../contract/results/time-text.ts'
import { type AttemptPair, heldSince, type Repeat } from './repeat.ts'

function mayConcern(
  { key, first, again }: AttemptPair,
  { redisKeys, seq }: EventOf<'data-lost'>,
  reading: HistoryIndex,
): boolean {
  if (redisKeys === undefined) return true
  // The name of a queue does not contain a message's key.
  const queues = [first, again].flatMap(({ job }) => job?.redisKeys ?? [])
  if (redisKeys.some((name) => queues.includes(name))) return true
  const messages = reading.of('published').filter((message) => message.seq < seq)
  return redisKeys.some((name) => keysNamedIn(name, messages).has(key))
}

/**
 * The kind if the store had lost records. The loss of an independent server that never came back
 * does not count, because such a server grants no lock.
 */
export function afterLoss(pair: AttemptPair, reading: HistoryIndex, header: RunHeader): Repeat | null {
  const { first, again } = pair
  const { redis } = (header.plan ?? {}) as Partial<Pick<Plan, 'redis'>>
  const isBack = (lost: EventOf<'data-lost'>): boolean => {
    if (redis?.independent === undefined || lost.cause !== 'restart') return true
    // `node` of the loss is the server, as in the fault that caused the loss.
    const struck = reading.of('fault-struck').findLast(({ node, atUs }) => node === lost.node && atUs <= lost.atUs)
    return reading.of('fault-healed').some(({ index, seq }) => index === struck?.index && seq < again.sent.seq)
  }
  const since = Math.min(heldSince(first).seq - 1, heldSince(again).seq - 1)
  const loss = reading
    .of('data-lost')
    .filter(({ cause, seq }) => cause !== 'expiry' && seq > since && seq < again.sent.seq)
    .find((lost) => mayConcern(pair, lost, reading) && isBack(lost))
  if (!loss) return null
  const because = `${loss.node} had lost records at ${msText(loss.atUs)} (${loss.cause})`
  return { kind: `repeat-after-loss:${loss.cause}`, because, events: [loss.seq] }
}

/**
 * The kind if a record or a claim of the key had expired. A history does not distinguish a record
 * from a claim. Null if the attempts ran at once, because the expired key may then be the lock of
 * the later attempt itself.
 */
export function afterExpiry(pair: AttemptPair, reading: HistoryIndex): Repeat | null {
  const { first, again } = pair
  const done = first.delivery?.answered
  if (!done || again.began.seq < done.seq) return null
  const expired = reading
    .of('data-lost')
    .filter(({ cause, seq }) => cause === 'expiry' && seq > done.seq && seq < again.sent.seq)
    .find((lost) => mayConcern(pair, lost, reading))
  if (!expired) return null
  const because = `a record or claim of the key had expired at ${msText(expired.atUs)}`
  return { kind: 'repeat-after-loss:expiry', because, events: [expired.seq] }
}
