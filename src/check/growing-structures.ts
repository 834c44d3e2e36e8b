/**
 * Which lists, sets, sorted sets, hashes and streams without expiry grow with messages.
 *
 * - Entries that are named after two messages or more: one for each message that went the same way.
 * - Entries whose names say nothing, as hashes do: at least as many as the run had idempotency
 *   keys, 4 or more, and more than it had processes, which leave such names too.
 *
 * A structure that was trimmed is bounded, however much it holds. One whose size was asked for, or
 * while a timer waits, may be trimmed beyond a size or a time that no run reached: that is a doubt.
 * So is every list, stream and sorted set: it has an order, and can be cut by number or age without
 * a look at it, now and then, or beyond what LPUSH says of its length. From a set or a hash nothing
 * old can be taken without a look. Texts are not looked into: what a layer keeps in one string may
 * be the last hundred.
 */
import type { KeptStructure } from '../contract/api/history.ts'
import type { EventOf, HistoryIndex } from '../contract/api/history-index.ts'
import type { Violation } from '../contract/api/verdict.ts'
import { keysNamedIn } from '../contract/results/keys-named-in.ts'

/** Below this many idempotency keys, equal numbers may be chance. */
export const fewestKeys = 4

const ordered: ReadonlySet<KeptStructure['type']> = new Set(['list', 'stream', 'zset'])

export interface Growth {
  readonly grown: Violation[]
  /** Why it cannot be told of another structure; null where it can. */
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

/** `key`: one whose message left an entry, where the entries say so. */
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
 * Made of a hash, or drawn: sixteen hex digits or more, or as many letters and digits without a
 * word among them.
 */
export function saysNothing(entry: string): boolean {
  if (/[0-9a-f]{16}/i.test(entry.replaceAll('-', ''))) return true
  return /^(?=.*\d)(?=.*[a-z])(?=.*[A-Z])[\w+/=-]{20,}$/.test(entry)
}
