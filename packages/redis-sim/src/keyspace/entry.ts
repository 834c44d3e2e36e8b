import type { Int64 } from '../numbers/int64.ts'
import type { StreamEntry } from './stream.ts'

/**
 * The value of a key, with the key's metadata: deadline, last access and position in the order of
 * SCAN.
 */
export abstract class EntryBase {
  /**
   * Milliseconds since the Unix epoch. The key is alive while now <= expireAtMs; -1 never expires.
   */
  expireAtMs: Int64 = -1
  accessedMs = 0
  /** Increases in the order of insertion; used as SCAN's cursor. */
  sequence = 0
}

/**
 * The origin of a string, which determines the result of OBJECT ENCODING: `int`, `embstr` or `raw`.
 * `auto`: stored completely by a command; integers are `int`, and small integers are shared.
 * `copy`: a COPY of such a string; integers are `int`, but never shared. `text`: formatted by Redis
 * (INCRBYFLOAT). `raw`: modified in place (APPEND, SETRANGE).
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
   * Permanently false after the hash outgrew a listpack. The field order of real Redis is then
   * random.
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
   * True for an intset: few members, all integers, in ascending order. Permanently false after the
   * set contained too many members or one that is not an integer.
   */
  integers = true
}

export class SortedSetEntry extends EntryBase {
  readonly type = 'zset'
  readonly scores = new Map<string, number>()
  compact = true
  /** Members ordered by score, then by bytes; null if a change made the order stale. */
  order: string[] | null = null

  ordered(): string[] {
    if (this.order !== null) return this.order
    const { scores } = this
    this.order = [...scores.keys()].sort((a, b) => scores.get(a)! - scores.get(b)! || compareBytes(a, b))
    return this.order
  }
}

export type Entry = StringEntry | HashEntry | ListEntry | SetEntry | SortedSetEntry | StreamEntry

/** Copies an entry with its deadline, but without its position and access time. */
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

/** Compares byte strings, like memcmp. */
export function compareBytes(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
