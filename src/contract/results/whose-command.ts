/**
 * Decides which delivery may have sent a command if its process was handling several deliveries at
 * once. The history contains only the process of a command.
 */
import { type DeliveryRecord, type HistoryIndex, isOpenAt } from '../api/history-index.ts'
import { keysNamedIn } from './keys-named-in.ts'

interface Sent {
  readonly seq: number
  readonly words: readonly string[]
}

/** The idempotency keys that occur in the words of a command. */
export const keysInWords = (words: readonly string[], reading: HistoryIndex): ReadonlySet<string> =>
  new Set(words.flatMap((word) => [...keysNamedIn(word, reading.of('published'))]))

/** Other deliveries that the process was handling just before the command was sent. */
export const openBeside = (sent: Pick<Sent, 'seq'>, mine: DeliveryRecord, { deliveries }: HistoryIndex) =>
  [...deliveries.values()].filter(
    (one) => one !== mine && one.delivered.process === mine.delivered.process && isOpenAt(one, sent),
  )

/**
 * True if another open delivery of the process may have sent the command: one whose key occurs in
 * the command, or any if no key occurs in it. Another delivery of the same key always counts,
 * because a lock of `k1` named `k1:lock` looks as if it belonged to a key `k1:lock`.
 */
export function mayBeOfAnother({ seq, words }: Sent, mine: DeliveryRecord, reading: HistoryIndex): boolean {
  const named = keysInWords(words, reading)
  const mayName = (key: string) => named.size === 0 || named.has(key) || key === mine.delivered.key
  return openBeside({ seq }, mine, reading).some(({ delivered }) => mayName(delivered.key))
}
