/**
 * The invariant: data that Redis keeps forever does not grow with the number of messages, neither
 * the number of keys without expiry nor the size of one of them.
 *
 * Ideally, runs with N and 2N messages would be compared (docs/how-it-works/design.md 13). One run
 * gives only one count, but it decides most cases, in this order:
 * - `named-after-a-message`: the name of a key without expiry contains a message's key or id. So
 *   every message with the same course leaves such a key, even if few did in this run. An example
 *   is a lock whose EXPIRE was prevented by a crash. A key without expiry that is removed later is
 *   not a violation, such as a job that another worker finishes.
 * - `grows-with-messages`: a list, set, sorted set, hash or stream without expiry has separate
 *   entries for messages (`growing-structures.ts`).
 * - Valid: keys with constant names. An ASCII name without a digit is constant, because the layer's
 *   code contains a fixed number of such names. A single key of any name is also valid, and so are
 *   numbered names up to the number of processes of the run, because they may belong to processes.
 * - `as-many-as-keys`: there are at least as many opaque names, such as hashes, as the run had
 *   idempotency keys, at least 4, and more than the run had processes, because processes may leave
 *   such names as well.
 * - Otherwise the result is unknown, because numbered keys of the layer cannot be distinguished
 *   from forgotten records. Instead of `named-after-a-message` or `as-many-as-keys`, the result is
 *   unknown if the layer may delete the keys later: any old key (`maySweep`), or the keys in a
 *   structure that the layer reads (`lookedThrough`).
 *
 * The count (`keys-counted`) excludes data of the deployment, both keys and entries.
 */
import type { History, KeptStructure } from '../contract/api/history.ts'
import { type EventOf, type HistoryIndex, indexHistory } from '../contract/api/history-index.ts'
import type { Invariant, Verdict, Violation } from '../contract/api/verdict.ts'
import { messagesNamedIn } from '../contract/results/keys-named-in.ts'
import { conclude } from './conclude.ts'
import { fewestKeys, growingStructures, saysNothing } from './growing-structures.ts'

/** The first message whose key or id occurs in one of `names`, with that name. */
function namedAfterAMessage(
  names: readonly string[],
  reading: HistoryIndex,
): { readonly name: string; readonly message: EventOf<'published'> } | null {
  const messages = reading.of('published')
  const named = names.map((name) => ({ name, of: messagesNamedIn(name, messages) }))
  for (const message of messages) {
    const own = named.find(({ of }) => of.includes(message))
    if (own !== undefined) return { name: own.name, message }
  }
  return null
}

function leftBehind(names: readonly string[], seq: number, reading: HistoryIndex): Violation[] {
  const found = namedAfterAMessage(names, reading)
  if (found === null) return []
  const { name, message } = found
  const { key, messageId } = message
  const sentence = `the Redis key ${name} was left behind for ${messageId} (key ${key}) and never expires`
  return [{ kind: 'named-after-a-message', key, sentence, events: [seq] }]
}

/**
 * The doubt about a layer that deletes old keys periodically: it may delete them later than the end
 * of any run.
 */
function sweptLater(what: string, { maySweep }: EventOf<'keys-counted'>): string {
  return `${what}; the layer may delete old keys later, since ${signs[maySweep ?? 'looked-through']}`
}

const shorter = 'set a shorter period in the adapter'
const signs = {
  'timer-waits': `one of its timers is later than the end of the run: ${shorter}`,
  'keys-listed': `it listed the keys: ${shorter}`,
  'looked-through': `it scanned a list of them: ${shorter}`,
  live: 'a live run cannot see its timers; use the simulator',
}

/**
 * The names that the layer can find through an entry of a structure that it read. The entry
 * contains the name, an opaque part of it, or the same message.
 */
function indexedNames(
  names: readonly string[],
  structures: readonly KeptStructure[],
  reading: HistoryIndex,
): Set<string> {
  const messages = reading.of('published')
  const entries = structures.flatMap(({ key, entries, lookedThrough }) =>
    lookedThrough ? entries.map((entry) => ({ index: key, entry, of: messagesNamedIn(entry, messages) })) : [],
  )
  const isIndexed = (name: string) => {
    const of = messagesNamedIn(name, messages)
    return entries.some(
      (one) =>
        one.index !== name &&
        (one.of.some((message) => of.includes(message)) ||
          one.entry.includes(name) ||
          (saysNothing(one.entry) && name.includes(one.entry))),
    )
  }
  return new Set(entries.length === 0 ? [] : names.filter(isIndexed))
}

/**
 * How many key names may derive from messages: `opaque` names by a hash, `numbered` names in
 * another way. Keys whose names are not listed count as opaque.
 */
function unnamed(withoutExpiry: number, names: readonly string[]) {
  const isOpaque = (name: string) => name.split(/[:{}|]/).some(saysNothing) || longNumber.test(name)
  const opaque = names.filter(isOpaque).length
  const numbered = names.filter((name) => !isOpaque(name) && /\d|[^ -~]/.test(name)).length
  return { opaque: opaque + withoutExpiry - names.length, numbered }
}

/** Matches a checksum or a time. */
const longNumber = /\d{6}/

function judge(history: History): Verdict {
  const reading = indexHistory(history)
  const counted = reading.of('keys-counted').at(-1)
  if (!counted) return conclude(reading, { doubt: 'the keys were not counted at the end' })
  const { withoutExpiry, seq } = counted
  const keys = new Set(reading.of('published').map(({ key }) => key)).size

  const { grown, doubt } = growingStructures(counted, reading)
  const { maySweep, namesWithoutExpiry: names = [], structures = [] } = counted
  const indexed = indexedNames(names, structures, reading)
  const others = names.filter((name) => !indexed.has(name))
  const left = maySweep ? [] : leftBehind(others, seq, reading)
  const [swept] = left.length > 0 ? [] : leftBehind(names, seq, reading)
  if (swept !== undefined) return conclude(reading, { atEnd: grown, doubt: sweptLater(swept.sentence, counted) })
  const atEnd = [...left, ...grown]
  const { opaque, numbered } = unnamed(withoutExpiry, names)
  const processes = reading.of('process-started').length
  if (atEnd.length > 0 || (opaque <= 1 && opaque + numbered <= Math.max(1, processes)))
    return conclude(reading, { atEnd, doubt })
  const numbers = `${withoutExpiry} Redis keys never expire, after messages with ${keys} idempotency keys`
  if (opaque < keys || keys < fewestKeys || opaque <= processes)
    return conclude(reading, {
      doubt:
        `${numbers}: it is unclear whether they grow with messages. ` +
        'Create permanent keys in `deploy`: they are not counted',
    })
  const unlisted = unnamed(withoutExpiry - indexed.size, others).opaque
  if (maySweep || unlisted < keys || unlisted <= processes)
    return conclude(reading, { doubt: sweptLater(numbers, counted) })
  return conclude(reading, { atEnd: [{ kind: 'as-many-as-keys', key: null, sentence: numbers, events: [seq] }] })
}

export const noImmortalKeys: Invariant = {
  name: 'no-immortal-keys',
  about: 'Data without expiry in Redis does not grow with messages, neither in keys nor within one key.',
  demand: 'Data without expiry in Redis does not grow with messages, neither in keys nor within one key.',
  broken: 'data stays in Redis forever',
  remedies: {
    'named-after-a-message': 'Every key that a message leaves behind should expire.',
    'grows-with-messages': 'Trim data that grows with every message, or make each entry a key that expires.',
    'as-many-as-keys': 'Every key that a message leaves behind should expire.',
  },
  judge,
}
