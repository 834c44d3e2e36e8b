/** Whose step a command was, where its process had several deliveries at once. Histories tell the process alone. */
import { type DeliveryRecord, type HistoryIndex, isOpenAt } from './history-index.ts'
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

/** The process had another delivery then, of a key that the command names, or of any where it names none: it may have been that one's. */
export function mayBeOfAnother({ seq, words }: Sent, mine: DeliveryRecord, reading: HistoryIndex): boolean {
  const keys = keysInWords(words, reading)
  return openBeside({ seq }, mine, reading).some(({ delivered }) => keys.size === 0 || keys.has(delivered.key))
}
