/**
 * Whose step a command was, where its process had several deliveries at once. Histories tell the
 * process alone.
 */
import { type DeliveryRecord, type HistoryIndex, isOpenAt } from '../api/history-index.ts'
import { keysNamedIn } from './keys-named-in.ts'

interface Sent {
  readonly seq: number
  readonly words: readonly string[]
}

/** The idempotency keys that a command names. */
export const keysInWords = (words: readonly string[], reading: HistoryIndex): ReadonlySet<string> =>
  new Set(words.flatMap((word) => [...keysNamedIn(word, reading.of('published'))]))

/** Other deliveries that the process was handling just before. */
export const openBeside = (sent: Pick<Sent, 'seq'>, mine: DeliveryRecord, { deliveries }: HistoryIndex) =>
  [...deliveries.values()].filter(
    (one) => one !== mine && one.delivered.process === mine.delivered.process && isOpenAt(one, sent),
  )

/**
 * The process had another delivery then, whose step it may have been: one of a key that the command
 * names, or any where it names none. One of the same key is among them whatever it names: a lock of
 * `k1` that is called `k1:lock` reads as if it were of another key.
 */
export function mayBeOfAnother({ seq, words }: Sent, mine: DeliveryRecord, reading: HistoryIndex): boolean {
  const named = keysInWords(words, reading)
  const mayName = (key: string) => named.size === 0 || named.has(key) || key === mine.delivered.key
  return openBeside({ seq }, mine, reading).some(({ delivered }) => mayName(delivered.key))
}
