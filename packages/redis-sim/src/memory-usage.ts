/**
 * MEMORY USAGE: the number of bytes that a key occupies on a real server with jemalloc. The result
 * is exact if the value determines the size. It is an estimate for streams, and if the size depends
 * on chance (levels of skip lists, the five sampled elements) or on the history (spare room after
 * APPEND, a table that was larger before). Source: object.c of Redis 7.0.
 */
import { writeListpack } from './dump/listpack.ts'
import { encodingOf } from './keyspace/encoding.ts'
import type { Entry, HashEntry, ListEntry, SetEntry, SortedSetEntry, StringEntry } from './keyspace/entry.ts'
import type { StreamEntry } from './keyspace/stream.ts'
import { formatDouble } from './numbers/double.ts'

const bytesOf = {
  object: 16,
  dictEntry: 24,
  dict: 56,
  pointer: 8,
  quicklist: 40,
  quicklistNode: 32,
  intset: 8,
  zset: 16,
  skiplist: 32,
  skiplistHeader: 640,
  skiplistNode: 48,
  stream: 112,
} as const

/** The jemalloc size class for this number of bytes. There are four classes per doubling. */
export function allocated(bytes: number): number {
  if (bytes <= 8) return 8
  if (bytes <= 128) return Math.ceil(bytes / 16) * 16
  const step = 2 ** (Math.ceil(Math.log2(bytes)) - 3)
  return Math.ceil(bytes / step) * step
}

/** The size of a string with its length header (SDS). */
function stringBytes(length: number): number {
  const header = length < 32 ? 1 : length < 256 ? 3 : length < 65536 ? 5 : 9
  return allocated(header + length + 1)
}

/** `samples` is the number of elements to examine; 0 examines all. */
export function memoryUsage(key: string, entry: Entry, samples: number): number {
  return valueBytes(entry, samples) + stringBytes(key.length) + bytesOf.dictEntry
}

/** True if every real server returns the same size. */
export function isExact(entry: Entry): boolean {
  switch (entry.type) {
    case 'string':
      return entry.origin !== 'raw'
    case 'hash':
    case 'zset':
      return entry.compact
    case 'set':
      return entry.integers
    case 'list':
    case 'stream':
      return false
  }
}

function valueBytes(entry: Entry, samples: number): number {
  switch (entry.type) {
    case 'string':
      return ofString(entry)
    case 'list':
      return ofList(entry)
    case 'hash':
      return ofHash(entry, samples)
    case 'set':
      return ofSet(entry, samples)
    case 'zset':
      return ofSortedSet(entry, samples)
    case 'stream':
      return ofStream(entry)
  }
}

function ofString(entry: StringEntry): number {
  const encoding = encodingOf(entry)
  if (encoding === 'int') return bytesOf.object
  // An embedded string is one allocation: the object, a header of three bytes, the text, a zero
  // byte.
  if (encoding === 'embstr') return allocated(bytesOf.object + 4 + entry.text.length)
  return bytesOf.object + stringBytes(Math.max(32, entry.text.length))
}

const packed = (words: readonly string[]) => allocated(writeListpack(words).length)
const largestNode = 8192

function ofList({ items }: ListEntry): number {
  const whole = writeListpack(items).length
  const nodes = Math.max(1, Math.ceil(whole / largestNode))
  return bytesOf.object + bytesOf.quicklist + nodes * (bytesOf.quicklistNode + allocated(Math.ceil(whole / nodes)))
}

/** The number of slots is a power of two, at least four. */
function tableBytes(size: number): number {
  const slots = 2 ** Math.max(2, Math.ceil(Math.log2(size)))
  return bytesOf.dict + bytesOf.pointer * slots
}

/** Estimates the total from the average of the first elements. */
function sampled<T>(elements: readonly T[], samples: number, bytes: (element: T) => number): number {
  const looked = samples === 0 ? elements : elements.slice(0, samples)
  const sum = looked.reduce((total, element) => total + bytes(element), 0)
  return Math.floor((sum / looked.length) * elements.length)
}

function ofHash({ fields, compact }: HashEntry, samples: number): number {
  if (compact) return bytesOf.object + packed([...fields].flat())
  const pairs = sampled(
    [...fields],
    samples,
    ([field, value]) => stringBytes(field.length) + stringBytes(value.length) + bytesOf.dictEntry,
  )
  return bytesOf.object + tableBytes(fields.size) + pairs
}

function ofSet({ members, integers }: SetEntry, samples: number): number {
  if (integers) {
    const widest = Math.max(...[...members].map((member) => Math.abs(Number(member) + 0.5)))
    return bytesOf.object + allocated(bytesOf.intset + members.size * (widest < 2 ** 15 ? 2 : widest < 2 ** 31 ? 4 : 8))
  }
  const each = sampled([...members], samples, (member) => stringBytes(member.length) + bytesOf.dictEntry)
  return bytesOf.object + tableBytes(members.size) + each
}

function ofSortedSet(entry: SortedSetEntry, samples: number): number {
  const ordered = entry.ordered()
  if (entry.compact) {
    const words = ordered.flatMap((member) => [member, formatDouble(entry.scores.get(member)!)])
    return bytesOf.object + packed(words)
  }
  const { zset, skiplist, skiplistHeader, skiplistNode, dictEntry } = bytesOf
  const each = sampled(ordered, samples, (member) => stringBytes(member.length) + dictEntry + skiplistNode)
  return bytesOf.object + zset + skiplist + tableBytes(ordered.length) + skiplistHeader + each
}

function ofStream(entry: StreamEntry): number {
  const nodes = entry.nodes.reduce((sum, node) => sum + allocated(node.bytes), 0)
  return bytesOf.object + bytesOf.stream + nodes
}
