/**
 * Finds the messages whose key or id occurs in a text of Redis: in a Redis key, an entry of a data
 * structure, or an argument of a command.
 */

/** The identifiers of a message. Layers build names of Redis keys from them. */
export interface NamedMessage {
  readonly key: string
  readonly messageId: string
}

interface Place {
  readonly from: number
  readonly to: number
}

/**
 * The messages whose key or id occurs in `text` as a whole word, in order. If one name contains
 * another, only the longer counts: with the keys `order:1` and `order:1:lock`, `seen:order:1:lock`
 * belongs to the second. A lock of `order:1` named `order:1:lock` looks the same, and is also
 * attributed to the second.
 */
export function messagesNamedIn<M extends NamedMessage>(text: string, messages: readonly M[]): M[] {
  const places = new Map<string, readonly Place[]>()
  for (const { key, messageId } of messages)
    for (const name of [key, messageId]) if (!places.has(name)) places.set(name, placesOf(name, text))
  const all = [...places.values()].flat()
  const isWithin = (one: Place) =>
    all.some((other) => other.from <= one.from && other.to >= one.to && lengthOf(other) > lengthOf(one))
  const counts = (name: string) => places.get(name)!.some((one) => !isWithin(one))
  return messages.filter(({ key, messageId }) => counts(key) || counts(messageId))
}

/** The idempotency keys of the messages that `messagesNamedIn` finds. */
export const keysNamedIn = (text: string, messages: readonly NamedMessage[]): ReadonlySet<string> =>
  new Set(messagesNamedIn(text, messages).map(({ key }) => key))

/**
 * True if `text` contains `part` as a whole word, as `lock:k1:owner` contains `k1`. An occurrence
 * next to a letter or digit does not count: `k1` is not found in `k10`, nor `a` in `stats`.
 */
export const standsAlone = (part: string, text: string): boolean => placesOf(part, text).length > 0

const lengthOf = ({ from, to }: Place): number => to - from

function placesOf(part: string, text: string): Place[] {
  const isWord = (character: string | undefined) => character !== undefined && /[A-Za-z0-9]/.test(character)
  const places: Place[] = []
  if (part === '') return places
  for (let from = text.indexOf(part); from !== -1; from = text.indexOf(part, from + 1)) {
    const to = from + part.length
    if (!isWord(text[from - 1]) && !isWord(text[to])) places.push({ from, to })
  }
  return places
}
