/**
 * What Redis keeps for ever does not grow with messages: neither keys without expiry in number, nor
 * one of them in size.
 *
 * N and 2N messages would be compared (docs/how-it-works/design.md 13). One run gives one count,
 * which decides most cases, in this order:
 * - `named-after-a-message`: the name of such a key is made of a message's key or id, so there is
 *   one for every message that went the same way, however few did in this run (a lock whose EXPIRE
 *   a crash prevented). That a key has no expiry for a while is nothing yet: a queue's jobs are
 *   finished by another worker. Runs whose message never comes back show what stays.
 * - `grows-with-messages`: one such list, set, hash or stream has entries of its own for messages
 *   (`growing-structures.ts`).
 * - constant keys are nobody's harm. A name of ASCII without a digit is taken for one: its number
 *   is how many the layer has thought of. So is one alone. Of those that have a number, as many as
 *   the run had processes may be theirs, and grow with restarts.
 * - `as-many-as-keys`: names that say nothing, as hashes do, at least as many as the run had
 *   idempotency keys, and those were 4 or more; and more than it had processes, which leave such
 *   names too.
 * - in between, unknown: two numbered keys and two forgotten records look alike.
 * - unknown in place of the first and of the last but one where the layer may delete old keys
 *   later: any (`maySweep`), or those that it finds in a list, set, hash, sorted set or stream that
 *   it looks through (`lookedThrough`).
 *
 * What a deployment has left behind, in keys and within one, is not in the count (`keys-counted`).
 */
import type { History, KeptStructure } from '../contract/api/history.ts'
import { type EventOf, type HistoryIndex, indexHistory } from '../contract/api/history-index.ts'
import type { Invariant, Verdict, Violation } from '../contract/api/verdict.ts'
import { messagesNamedIn } from '../contract/results/keys-named-in.ts'
import { conclude } from './conclude.ts'
import { fewestKeys, growingStructures, saysNothing } from './growing-structures.ts'

/** The first message that one of these Redis keys is named after. */
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

/** Who deletes old keys now and then may do so later than any run lasts. */
function sweptLater(what: string, { maySweep }: EventOf<'keys-counted'>): string {
  return `${what}; the layer may delete what is old later, since ${signs[maySweep ?? 'looked-through']}`
}

const shorter = 'a shorter period in the adapter shows it'
const signs = {
  'timer-waits': `a timer of it waits that the run does not reach: ${shorter}`,
  'keys-listed': `it asked which keys there are: ${shorter}`,
  'looked-through': `it looked through a list of them: ${shorter}`,
  live: 'nobody sees its timers in a live run: the simulator does',
}

/**
 * Those that an entry of another structure tells of, which the layer looked through: by their
 * message, or by themselves.
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
 * How many names of keys may be made of messages, by a hash or otherwise. Those that are not listed
 * are among the former.
 */
function unnamed(withoutExpiry: number, names: readonly string[]) {
  const isOpaque = (name: string) => name.split(/[:{}|]/).some(saysNothing) || longNumber.test(name)
  const opaque = names.filter(isOpaque).length
  const numbered = names.filter((name) => !isOpaque(name) && /\d|[^ -~]/.test(name)).length
  return { opaque: opaque + withoutExpiry - names.length, numbered }
}

/** A checksum, or a time. */
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
        `${numbers}: nobody can tell whether they grow with messages. ` +
        'What is there whatever comes is made in `deploy`, which is not counted',
    })
  const unlisted = unnamed(withoutExpiry - indexed.size, others).opaque
  if (maySweep || unlisted < keys || unlisted <= processes)
    return conclude(reading, { doubt: sweptLater(numbers, counted) })
  return conclude(reading, { atEnd: [{ kind: 'as-many-as-keys', key: null, sentence: numbers, events: [seq] }] })
}

export const noImmortalKeys: Invariant = {
  name: 'no-immortal-keys',
  about: 'What Redis keeps for ever does not grow with messages, neither in keys nor within one key.',
  demand: 'What Redis keeps without expiry does not grow with messages, neither in keys nor within one key.',
  broken: 'Redis was left with something for ever',
  remedies: {
    'named-after-a-message': 'Every key that a message leaves behind should expire.',
    'grows-with-messages': 'What grows with every message should be trimmed, or each entry be a key that expires.',
    'as-many-as-keys': 'Every key that a message leaves behind should expire.',
  },
  judge,
}
