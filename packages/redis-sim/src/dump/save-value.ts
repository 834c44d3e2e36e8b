/**
 * Writes the DUMP payload of a value: type, bytes, format version, checksum. The order differs from
 * real Redis for hash tables, whose order is random. Traces of a value's history (deleted stream
 * entries, the node boundaries of a long list) are not reproduced. Source: rdb.c of Redis 7.0.
 */
import type { Entry, ListEntry, SetEntry, SortedSetEntry } from '../keyspace/entry.ts'
import { listpackBytes } from '../keyspace/listpack-size.ts'
import { formatDouble } from '../numbers/double.ts'
import { littleEndian } from './bytes.ts'
import { crc64 } from './crc64.ts'
import { writeListpack } from './listpack.ts'
import { types } from './rdb-types.ts'
import { writeDouble, writeLength, writeString } from './rdb-values.ts'
import { saveStream } from './save-stream.ts'

export const rdbVersion = 10
const packed = 2

/** `listFill` is list-max-listpack-size. */
export function dump(entry: Entry, listFill: number): string {
  return sealed(saveValue(entry, listFill))
}

/** Appends the format version and the checksum. */
export function sealed(body: string): string {
  const payload = body + littleEndian(rdbVersion, 2)
  return payload + crc64(payload)
}

function saveValue(entry: Entry, listFill: number): string {
  switch (entry.type) {
    case 'string':
      return types.string + writeString(entry.text)
    case 'list':
      return saveList(entry, listFill)
    case 'set':
      return saveSet(entry)
    case 'zset':
      return saveSortedSet(entry)
    case 'hash': {
      const words = [...entry.fields].flat()
      if (entry.compact) return types.hashListpack + writeString(writeListpack(words))
      return types.hash + writeLength(entry.fields.size) + words.map(writeString).join('')
    }
    case 'stream':
      return saveStream(entry)
  }
}

/** Limits for adding an element to a node. Source: quicklist.c of Redis 7.0. */
const sizeLimits = [4096, 8192, 16384, 32768, 65536]
const safetyLimit = 8192
const estimatedOverhead = 8
const emptyBytes = 7

function saveList({ items }: ListEntry, fill: number): string {
  const nodes: string[][] = []
  let bytes = 0
  for (const item of items) {
    const node = nodes.at(-1)
    if (node !== undefined && hasRoom(node.length, bytes + item.length + estimatedOverhead, fill)) {
      node.push(item)
      bytes += listpackBytes(item)
    } else {
      nodes.push([item])
      bytes = emptyBytes + listpackBytes(item)
    }
  }
  const written = nodes.map((node) => writeLength(packed) + writeString(writeListpack(node)))
  return types.listQuicklist2 + writeLength(nodes.length) + written.join('')
}

function hasRoom(count: number, bytes: number, fill: number): boolean {
  return fill < 0 ? bytes <= sizeLimits[Math.min(-fill, 5) - 1]! : bytes <= safetyLimit && count < fill
}

function saveSet({ members, integers }: SetEntry): string {
  if (!integers) return types.set + writeLength(members.size) + [...members].map(writeString).join('')
  const values = [...members].map(BigInt).sort((a, b) => (a < b ? -1 : 1))
  const fits = (bits: bigint) => values.every((value) => BigInt.asIntN(Number(bits), value) === value)
  const width = fits(16n) ? 2 : fits(32n) ? 4 : 8
  const body = values.map((value) => littleEndian(value, width)).join('')
  return types.setIntset + writeString(littleEndian(width, 4) + littleEndian(values.length, 4) + body)
}

/** Whole numbers are stored as integers. Source: double2ll of Redis 7.0. */
function packedScore(score: number): string | bigint {
  return Number.isInteger(score) && Math.abs(score) <= 2 ** 62 ? BigInt(score) : formatDouble(score)
}

function saveSortedSet(entry: SortedSetEntry): string {
  const ordered = entry.ordered()
  if (entry.compact) {
    const words = ordered.flatMap((member) => [member, packedScore(entry.scores.get(member)!)])
    return types.zsetListpack + writeString(writeListpack(words))
  }
  // The members are written in descending order of scores.
  const written = [...ordered].reverse().map((member) => writeString(member) + writeDouble(entry.scores.get(member)!))
  return types.zset2 + writeLength(ordered.length) + written.join('')
}
