/**
 * Finds lists, sets, sorted sets, hashes and streams without expiry that grow with the number of
 * messages. A structure grows if one of these conditions holds:
 *
 * - Two or more entries contain keys or ids of messages, and these messages have two or more
 *   idempotency keys.
 * - There are at least as many entries with opaque names, such as hashes, as the run had
 *   idempotency keys, at least 4, and more than the run had processes, because processes may leave
 *   such entries as well.
 *
 * A structure that was trimmed counts as bounded, regardless of its size. If its size was queried,
 * or a timer is pending, the result is unknown, because the layer may trim the structure at a size
 * or a time that no run reached. The result is also unknown for every list, stream and sorted set.
 * These are ordered, so the layer can trim them by number or age without a read: occasionally, or
 * when the reply of LPUSH exceeds a length. Old entries of a set or a hash cannot be removed
 * without a read. String values are not inspected, although a string may contain many entries.
 */
import type { KeptStructure } from '../contract/api/history.ts'
import type { EventOf, HistoryIndex } from '../contract/api/history-index.ts'
import type { Violation } from '../contract/api/verdict.ts'
import { keysNamedIn } from '../contract/results/keys-named-in.ts'

/**
 * The minimum number of idempotency keys for a comparison of numbers. With fewer keys, equal
 * numbers may be a coincidence.
 */
export const fewestKeys = 4

const ordered: ReadonlySet<KeptStructure['type']> = new Set(['list', 'stream', 'zset'])

export interface Growth {
  readonly grown: Violation[]
  /** Why another structure could not be judged; null if all were judged. */
  readonly doubt: string | null
}

export function growingStructures(counted: EventOf<'keys-counted'>, reading: HistoryIndex): Growth {
  const grown: Violation[] = []
  let doubt: string | null = null
  for (const structure of counted.structures ?? []) {
    if (structure.kept === 'trimmed') continue
    const growth = growthOf(structure, reading)
    if (growth === null) continue
    const what = `the Redis key ${structure.key} (${structure.type}) never expires and ${growth.why}`
    if (structure.kept === 'never' && !ordered.has(structure.type))
      grown.push({ kind: 'grows-with-messages', key: growth.key, sentence: what, events: [counted.seq] })
    else
      doubt ??=
        `${what}; it was not trimmed in this run but may be later: ` +
        'set a lower limit or a shorter time in the adapter'
  }
  return { grown: grown.slice(0, 1), doubt }
}

/**
 * `key`: an idempotency key whose message left an entry; null if the entries do not show one. The
 * result is null if the structure does not grow.
 */
function growthOf(
  { entries, size }: KeptStructure,
  reading: HistoryIndex,
): { readonly why: string; readonly key: string | null } | null {
  const keys = [...new Set(reading.of('published').map(({ key }) => key))]
  const named = entries.map((entry) => keysNamedIn(entry, reading.of('published')))
  const own = keys.filter((key) => named.some((names) => names.has(key)))
  if (own.length >= 2 && named.filter(({ size }) => size > 0).length >= 2)
    return { why: `has entries for ${own.length} of ${keys.length} idempotency keys`, key: own[0]! }
  const processes = reading.of('process-started').length
  const opaque = entries.filter(saysNothing).length
  if (keys.length < fewestKeys || opaque < keys.length || opaque <= processes) return null
  return { why: `has ${size} entries after messages with ${keys.length} idempotency keys`, key: null }
}

/**
 * True for a hash or a random id: at least sixteen hex digits, or a long mixture of letters and
 * digits.
 */
export function saysNothing(entry: string): boolean {
  if (/[0-9a-f]{16}/i.test(entry.replaceAll('-', ''))) return true
  return /^(?=.*\d)(?=.*[a-z])(?=.*[A-Z])[\w+/=-]{20,}$/.test(entry)
}
