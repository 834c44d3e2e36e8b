/** Reads RESTORE payloads: any value of Redis 7.0 or older, except zipmaps (before 2.6). */
import type { RedisConfig } from '../config.ts'
import { type Entry, HashEntry, ListEntry, SetEntry, SortedSetEntry, StringEntry } from '../keyspace/entry.ts'
import { parseInt64 } from '../numbers/int64.ts'
import { BadBytes, ByteReader, readLittleEndian } from './bytes.ts'
import { crc64 } from './crc64.ts'
import { readListpack } from './listpack.ts'
import { loadStream } from './load-stream.ts'
import { types } from './rdb-types.ts'
import { readDouble, readLength, readString, readTextDouble } from './rdb-values.ts'
import { rdbVersion } from './save-value.ts'
import { readZiplist } from './ziplist.ts'

const footerBytes = 10
const checksumBytes = 8
const plainNode = 1

/** The payload without its version and checksum; null if either is invalid. */
export function opened(payload: string): string | null {
  if (payload.length < footerBytes) return null
  const body = payload.slice(0, -checksumBytes)
  if (readLittleEndian(body.slice(-2)) > BigInt(rdbVersion)) return null
  return payload.slice(-checksumBytes) === crc64(body) ? body.slice(0, -2) : null
}

/** Undefined if the value cannot be read. */
export function loadValue(body: string, config: RedisConfig): Entry | undefined {
  try {
    const reader = new ByteReader(body)
    return read(reader, reader.take(1), config)
  } catch (error) {
    if (error instanceof BadBytes) return undefined
    throw error
  }
}

function read(reader: ByteReader, type: string, config: RedisConfig): Entry {
  switch (type) {
    case types.string:
      return new StringEntry(readString(reader))
    case types.list:
      return listOf(strings(reader, readLength(reader)))
    case types.listZiplist:
      return listOf(readZiplist(readString(reader)))
    case types.listQuicklist:
    case types.listQuicklist2:
      return readQuicklist(reader, type === types.listQuicklist2)
    case types.set:
      return setOf(strings(reader, readLength(reader)), config)
    case types.setIntset:
      return setOf(readIntset(readString(reader)), config)
    case types.zset:
    case types.zset2:
      return readSortedSet(reader, type === types.zset2, config)
    case types.zsetZiplist:
      return packedSortedSet(readZiplist(readString(reader)), config)
    case types.zsetListpack:
      return packedSortedSet(readListpack(readString(reader)), config)
    case types.hash:
      return hashOf(strings(reader, 2 * readLength(reader)), config, true)
    case types.hashZiplist:
      return hashOf(readZiplist(readString(reader)), config, false)
    case types.hashListpack:
      return hashOf(readListpack(readString(reader)), config, false)
    case types.streamListpacks:
    case types.streamListpacks2:
      return loadStream(reader, type === types.streamListpacks2)
    default:
      throw new BadBytes('an unknown type of RDB files')
  }
}

function strings(reader: ByteReader, count: number): string[] {
  const found: string[] = []
  while (found.length < count) found.push(readString(reader))
  return found
}

function listOf(items: string[]): ListEntry {
  if (items.length === 0) throw new BadBytes('an empty list')
  const entry = new ListEntry()
  entry.items = items
  return entry
}

function readQuicklist(reader: ByteReader, second: boolean): ListEntry {
  const items: string[] = []
  for (let left = readLength(reader); left > 0; left--) {
    const plain = second && readLength(reader) === plainNode
    const node = readString(reader)
    for (const item of plain ? [node] : second ? readListpack(node) : readZiplist(node)) items.push(item)
  }
  return listOf(items)
}

function setOf(members: readonly string[], config: RedisConfig): SetEntry {
  if (members.length === 0 || new Set(members).size !== members.length) throw new BadBytes('no set')
  const entry = new SetEntry()
  for (const member of members) entry.members.add(member)
  entry.integers =
    members.length <= config.setMaxIntsetEntries && members.every((member) => parseInt64(member) !== undefined)
  return entry
}

function readIntset(bytes: string): string[] {
  const reader = new ByteReader(bytes)
  const width = Number(reader.little(4))
  const count = Number(reader.little(4))
  if (![2, 4, 8].includes(width) || bytes.length !== 8 + count * width) throw new BadBytes('an invalid set of integers')
  return Array.from({ length: count }, () => String(reader.signed(width)))
}

function hashOf(words: readonly string[], config: RedisConfig, checkLength: boolean): HashEntry {
  if (words.length === 0 || words.length % 2 === 1) throw new BadBytes('no hash')
  const entry = new HashEntry()
  for (let at = 0; at < words.length; at += 2) {
    if (entry.fields.has(words[at]!)) throw new BadBytes('a duplicate field')
    entry.fields.set(words[at]!, words[at + 1]!)
  }
  const long = checkLength && words.some(({ length }) => length > config.hashMaxListpackValue)
  entry.compact = !long && entry.fields.size <= config.hashMaxListpackEntries
  return entry
}

function readSortedSet(reader: ByteReader, binary: boolean, config: RedisConfig): SortedSetEntry {
  const pairs: [string, number][] = []
  for (let left = readLength(reader); left > 0; left--) {
    const member = readString(reader)
    pairs.push([member, binary ? readDouble(reader) : readTextDouble(reader)])
  }
  const short = pairs.every(([member]) => member.length <= config.zsetMaxListpackValue)
  return sortedSetOf(pairs, short && pairs.length <= config.zsetMaxListpackEntries)
}

function packedSortedSet(words: readonly string[], config: RedisConfig): SortedSetEntry {
  if (words.length % 2 === 1) throw new BadBytes('a member without a score')
  const pairs = words.flatMap((word, at) => (at % 2 === 0 ? [[word, scoreOf(words[at + 1]!)] as [string, number]] : []))
  return sortedSetOf(pairs, pairs.length <= config.zsetMaxListpackEntries)
}

function scoreOf(text: string): number {
  return text === 'inf' ? Number.POSITIVE_INFINITY : text === '-inf' ? Number.NEGATIVE_INFINITY : Number(text)
}

function sortedSetOf(pairs: readonly (readonly [string, number])[], compact: boolean): SortedSetEntry {
  if (pairs.length === 0 || pairs.some(([, score]) => Number.isNaN(score))) throw new BadBytes('an invalid sorted set')
  const entry = new SortedSetEntry()
  for (const [member, score] of pairs) entry.scores.set(member, score)
  if (entry.scores.size !== pairs.length) throw new BadBytes('a duplicate member')
  entry.compact = compact
  return entry
}
