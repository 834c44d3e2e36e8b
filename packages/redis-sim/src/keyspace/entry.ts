import type { Int64 } from '../numbers/int64.ts'
import type { StreamEntry } from './stream.ts'

/**
 * What a key holds, with what belongs to the key itself: its deadline, last access and place in
 * SCAN's order.
 */
export abstract class EntryBase {
  /** Milliseconds since the Unix epoch: alive while now <= expireAtMs; -1 for ever. */
  expireAtMs: Int64 = -1
  accessedMs = 0
  /** Rises in the order in which keys were inserted: SCAN's cursor. */
  sequence = 0
}

/**
 * Why a string prints as `int`, `embstr` or `raw` in OBJECT ENCODING: `auto` was stored whole by a
 * command (integers are recognised, small ones shared), `copy` came from such a one by COPY
 * (recognised, never shared), `text` was printed by Redis (INCRBYFLOAT), `raw` was edited in place
 * (APPEND, SETRANGE).
 */
export type StringOrigin = 'auto' | 'copy' | 'text' | 'raw'

export class StringEntry extends EntryBase {
  readonly type = 'string'
  text: string
  origin: StringOrigin
  constructor(text: string, origin: StringOrigin = 'auto') {
    super()
    this.text = text
    this.origin = origin
  }
}

export class HashEntry extends EntryBase {
  readonly type = 'hash'
  readonly fields = new Map<string, string>()
  /**
   * False from the moment it outgrew a listpack, for ever: then real Redis orders fields by chance.
   */
  compact = true
}

export class ListEntry extends EntryBase {
  readonly type = 'list'
  items: string[] = []
}

export class SetEntry extends EntryBase {
  readonly type = 'set'
  readonly members = new Set<string>()
  /**
   * All members are integers and there are few: kept in ascending order. False once it outgrew
   * that.
   */
  integers = true
}

export class SortedSetEntry extends EntryBase {
  readonly type = 'zset'
  readonly scores = new Map<string, number>()
  compact = true
  /** Members by score, then bytes; null when a change made it stale. */
  order: string[] | null = null

  ordered(): string[] {
    if (this.order !== null) return this.order
    const { scores } = this
    this.order = [...scores.keys()].sort((a, b) => scores.get(a)! - scores.get(b)! || compareBytes(a, b))
    return this.order
  }
}

export type Entry = StringEntry | HashEntry | ListEntry | SetEntry | SortedSetEntry | StreamEntry

/** A copy with the same deadline; place and access time are the new key's own. */
export function copyEntry(entry: Entry): Entry {
  const copy = copyValue(entry)
  copy.expireAtMs = entry.expireAtMs
  return copy
}

function copyValue(entry: Entry): Entry {
  switch (entry.type) {
    case 'string':
      return new StringEntry(entry.text, entry.origin === 'auto' ? 'copy' : entry.origin)
    case 'hash': {
      const copy = new HashEntry()
      for (const [field, value] of entry.fields) copy.fields.set(field, value)
      copy.compact = entry.compact
      return copy
    }
    case 'list': {
      const copy = new ListEntry()
      copy.items = [...entry.items]
      return copy
    }
    case 'set': {
      const copy = new SetEntry()
      for (const member of entry.members) copy.members.add(member)
      copy.integers = entry.integers
      return copy
    }
    case 'zset': {
      const copy = new SortedSetEntry()
      for (const [member, score] of entry.scores) copy.scores.set(member, score)
      copy.compact = entry.compact
      return copy
    }
    case 'stream':
      return entry.copy()
  }
}

/** Order of byte strings, as memcmp has it. */
export function compareBytes(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
