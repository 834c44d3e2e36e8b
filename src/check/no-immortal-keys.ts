/**
 * The number of keys without expiry does not grow with messages.
 *
 * N and 2N keys would be compared (docs/design.md 13). One run gives one count, which decides most cases, in this order:
 * - `named-after-a-message`: the name of such a key is made of a message's key or id, so there is one for every
 *   message that went the same way, however few did in this run (a lock whose EXPIRE a crash prevented).
 * - none or one: valid. A constant key is nobody's harm, and neither are those that a deployment has left behind: these are
 *   not counted, by their names.
 * - `as-many-as-keys`: at least as many as the run had idempotency keys, and those were 4 or more (names may be hashed).
 * - in between, unknown: two constant keys and two forgotten records look alike.
 */
import type { History } from '../contract/history.ts'
import { type HistoryIndex, indexHistory } from '../contract/history-index.ts'
import type { Invariant, Verdict, Violation } from '../contract/verdict.ts'
import { conclude } from './conclude.ts'
import { standsAlone } from './stands-alone.ts'

/** Below this many idempotency keys, equal numbers may be chance. */
const fewestKeys = 4

function namedAfterAMessage(names: readonly string[], reading: HistoryIndex, seq: number): Violation[] {
  for (const { key, messageId } of reading.of('published')) {
    const name = names.find((name) => standsAlone(key, name) || standsAlone(messageId, name))
    if (name === undefined) continue
    const sentence = `the Redis key ${name} was left behind for ${messageId} (key ${key}) and never expires`
    return [{ kind: 'named-after-a-message', key, sentence, events: [seq] }]
  }
  return []
}

function judge(history: History): Verdict {
  const reading = indexHistory(history)
  const counted = reading.of('keys-counted').at(-1)
  if (!counted) return conclude(reading, { doubt: 'the keys were not counted at the end' })
  const { namesWithoutExpiry = [], namesDeployed = [], seq } = counted
  const withoutExpiry = counted.withoutExpiry - namesWithoutExpiry.filter((name) => namesDeployed.includes(name)).length
  const keys = new Set(reading.of('published').map(({ key }) => key)).size

  const atEnd = namedAfterAMessage(namesWithoutExpiry, reading, seq)
  if (atEnd.length > 0 || withoutExpiry <= 1) return conclude(reading, { atEnd })
  const numbers = `${withoutExpiry} Redis keys never expire, after messages with ${keys} idempotency keys`
  if (withoutExpiry < keys || keys < fewestKeys)
    return conclude(reading, { doubt: `${numbers}: too few to tell whether they grow with messages` })
  return conclude(reading, { atEnd: [{ kind: 'as-many-as-keys', key: null, sentence: numbers, events: [seq] }] })
}

export const noImmortalKeys: Invariant = {
  name: 'no-immortal-keys',
  about: 'Keys without expiry do not grow in number with messages.',
  demand: 'Redis keys without expiry do not grow in number with messages.',
  broken: 'Redis keys were left behind for ever',
  remedies: {
    'named-after-a-message': 'Every key that a message leaves behind should expire.',
    'as-many-as-keys': 'Every key that a message leaves behind should expire.',
  },
  judge,
}
