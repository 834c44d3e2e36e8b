/** Which messages a name in Redis is made of: a key, an entry of one, or a word of a command. */

/** What layers make names of. */
export interface NamedMessage {
  readonly key: string
  readonly messageId: string
}

interface Place {
  readonly from: number
  readonly to: number
}

/**
 * The messages whose key, or id, stands alone in `text`, in their order. Of names that stand inside
 * of one another only the longest counts: where `order:1` and `order:1:lock` are keys,
 * `seen:order:1:lock` is of the second. What nobody can tell apart (a lock of `order:1` that is
 * called `order:1:lock`) is taken for the longest, too.
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

/** The idempotency keys of those messages. */
export const keysNamedIn = (text: string, messages: readonly NamedMessage[]): ReadonlySet<string> =>
  new Set(messagesNamedIn(text, messages).map(({ key }) => key))

/**
 * Is `text` made of `part`, as `lock:k1:owner` is made of `k1`? The part must not continue as a
 * word on either side, so that `k1` is not found in `k10`, nor `a` in `stats`.
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
