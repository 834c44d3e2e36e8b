import type { RedisConfig } from '../config.ts'
import { parseInt64 } from '../numbers/int64.ts'
import type { Entry, HashEntry, SetEntry, SortedSetEntry, StringEntry } from './entry.ts'

/** The result of OBJECT ENCODING. */
export function encodingOf(entry: Entry): string {
  switch (entry.type) {
    case 'string':
      return stringEncoding(entry)
    case 'hash':
    case 'zset':
      return entry.compact ? 'listpack' : entry.type === 'hash' ? 'hashtable' : 'skiplist'
    case 'list':
      return 'quicklist'
    case 'stream':
      return 'stream'
    case 'set':
      return entry.integers ? 'intset' : 'hashtable'
  }
}

function stringEncoding({ text, origin }: StringEntry): string {
  if (origin === 'raw') return 'raw'
  if (origin !== 'text' && parseInt64(text) !== undefined) return 'int'
  return text.length <= 44 ? 'embstr' : 'raw'
}

/**
 * The result of OBJECT REFCOUNT. Small integers are shared objects, for which Redis returns
 * INT_MAX.
 */
export function referenceCount(entry: Entry): number {
  if (entry.type !== 'string' || entry.origin !== 'auto' || stringEncoding(entry) !== 'int') return 1
  const value = parseInt64(entry.text)!
  return value >= 0 && value < 10000 ? 2147483647 : 1
}

/**
 * Called before a command stores these words. A long word converts the listpack of the hash to a
 * hash table permanently.
 */
export function widenHash(entry: HashEntry, words: readonly string[], from: number, config: RedisConfig): void {
  if (!entry.compact) return
  for (let at = from; at < words.length; at++) {
    if (words[at]!.length > config.hashMaxListpackValue) entry.compact = false
  }
}

/** Called after a field was set. */
export function checkHashSize(entry: HashEntry, config: RedisConfig): void {
  if (entry.compact && entry.fields.size > config.hashMaxListpackEntries) entry.compact = false
}

export function checkSet(entry: SetEntry, added: string, config: RedisConfig): void {
  if (!entry.integers) return
  if (parseInt64(added) === undefined || entry.members.size > config.setMaxIntsetEntries) entry.integers = false
}

export function checkSortedSet(entry: SortedSetEntry, added: string, config: RedisConfig): void {
  if (!entry.compact) return
  if (added.length > config.zsetMaxListpackValue || entry.scores.size > config.zsetMaxListpackEntries) {
    entry.compact = false
  }
}
