/**
 * Bits of strings: SETBIT, GETBIT, BITCOUNT, BITPOS, BITOP. BITFIELD is in bitfields.ts. Source:
 * bitops.c of Redis 7.0.
 */

import type { Answer, Handlers } from '../command.ts'
import { syntaxError, tooLong } from '../errors.ts'
import { StringEntry } from '../keyspace/entry.ts'
import { parseInt64, toIndex } from '../numbers/int64.ts'
import { ErrorReply } from '../resp/reply.ts'
import type { Session } from '../session.ts'
import { integer, typed, typedRead } from './arguments.ts'
import { tooLongFor } from './strings.ts'

const badOffset = new ErrorReply('ERR bit offset is not an integer or out of range')
const badBit = new ErrorReply('ERR bit is not an integer or out of range')

/** `unitBits` is the unit of `#` offsets; 0 if they are not allowed. */
export function bitOffset(session: Session, text: string, unitBits = 0): number | ErrorReply {
  const counted = unitBits > 0 && text.startsWith('#')
  const parsed = parseInt64(counted ? text.slice(1) : text)
  if (parsed === undefined) return badOffset
  const offset = Number(parsed) * (counted ? unitBits : 1)
  return offset < 0 || Math.floor(offset / 8) >= session.server.config.protoMaxBulkLen ? badOffset : offset
}

/** The string of a key, extended to hold the bit. `grown` is true if it was extended. */
export function stringForBits(
  session: Session,
  key: string,
  highestBit: number,
): { entry: StringEntry; grown: boolean } | ErrorReply {
  let entry = typed(session, key, 'string')
  if (entry instanceof ErrorReply) return entry
  const length = Math.floor(highestBit / 8) + 1
  if (tooLongFor(session, length)) return tooLong
  const grown = entry === undefined || entry.text.length < length
  if (entry === undefined) {
    entry = new StringEntry('', 'raw')
    session.database.put(key, entry)
  }
  entry.text = entry.text.padEnd(length, '\0')
  entry.origin = 'raw'
  return { entry, grown }
}

export function bitAt(text: string, offset: number): number {
  const byte = text.charCodeAt(Math.floor(offset / 8))
  return Number.isNaN(byte) ? 0 : (byte >> (7 - (offset % 8))) & 1
}

function setbit(session: Session, [, key, offsetText, bitText]: readonly string[]): Answer {
  const offset = bitOffset(session, offsetText!)
  if (offset instanceof ErrorReply) return offset
  const bit = parseInt64(bitText!)
  if (bit !== 0 && bit !== 1) return badBit
  const found = stringForBits(session, key!, offset)
  if (found instanceof ErrorReply) return found
  const { entry, grown } = found
  const before = bitAt(entry.text, offset)
  if (grown || before !== bit) {
    const at = Math.floor(offset / 8)
    const mask = 1 << (7 - (offset % 8))
    const byte = entry.text.charCodeAt(at)
    const changed = String.fromCharCode(bit === 1 ? byte | mask : byte & ~mask)
    entry.text = entry.text.slice(0, at) + changed + entry.text.slice(at + 1)
    session.database.touched(key!, '$', 'setbit')
  }
  return before
}

function getbit(session: Session, [, key, offsetText]: readonly string[]): Answer {
  const offset = bitOffset(session, offsetText!)
  if (offset instanceof ErrorReply) return offset
  const entry = typedRead(session, key!, 'string')
  return entry === undefined || entry instanceof ErrorReply ? (entry ?? 0) : bitAt(entry.text, offset)
}

/** Bits from `start` (inclusive) to `end` (exclusive). */
interface BitRange {
  readonly start: number
  readonly end: number
}

function bitRange(from: number, to: number, length: number, inBits: boolean): BitRange {
  const total = inBits ? length * 8 : length
  const start = Math.max(0, from < 0 ? total + from : from)
  const last = Math.min(Math.max(0, to < 0 ? total + to : to), total - 1)
  return inBits ? { start, end: last + 1 } : { start: start * 8, end: (last + 1) * 8 }
}

/** Parses BIT or BYTE; true for BIT. BYTE is the default. */
function unit(text: string | undefined): boolean | ErrorReply {
  const word = text?.toLowerCase()
  return word === 'bit' ? true : word === undefined || word === 'byte' ? false : syntaxError
}

function bitcount(session: Session, args: readonly string[]): Answer {
  const entry = typedRead(session, args[1]!, 'string')
  if (entry === undefined || entry instanceof ErrorReply) return entry ?? 0
  const { text } = entry
  if (args.length === 2) return countBits(text, { start: 0, end: text.length * 8 })
  if (args.length !== 4 && args.length !== 5) return syntaxError
  const from = integer(args[2]!)
  if (from instanceof ErrorReply) return from
  const to = integer(args[3]!)
  if (to instanceof ErrorReply) return to
  if (from < 0 && to < 0 && from > to) return 0
  const inBits = unit(args[4])
  if (inBits instanceof ErrorReply) return inBits
  return countBits(text, bitRange(toIndex(from), toIndex(to), text.length, inBits))
}

function countBits(text: string, { start, end }: BitRange): number {
  let count = 0
  for (let at = start; at < end; ) {
    if (at % 8 === 0 && at + 8 <= end) {
      for (let byte = text.charCodeAt(at / 8); byte !== 0; byte &= byte - 1) count++
      at += 8
    } else count += bitAt(text, at++)
  }
  return count
}

function bitpos(session: Session, args: readonly string[]): Answer {
  const bit = integer(args[2]!)
  if (bit instanceof ErrorReply) return bit
  if (bit !== 0 && bit !== 1) return new ErrorReply('ERR The bit argument must be 1 or 0.')
  const entry = typedRead(session, args[1]!, 'string')
  if (entry === undefined) return bit === 1 ? -1 : 0
  if (entry instanceof ErrorReply) return entry
  const { text } = entry
  if (args.length > 6) return syntaxError
  let range: BitRange = { start: 0, end: text.length * 8 }
  if (args.length > 3) {
    const from = integer(args[3]!)
    if (from instanceof ErrorReply) return from
    const inBits = unit(args[5])
    if (inBits instanceof ErrorReply) return inBits
    const to = args[4] === undefined ? -1 : integer(args[4])
    if (to instanceof ErrorReply) return to
    range = bitRange(toIndex(from), toIndex(to), text.length, inBits)
  }
  if (range.start >= range.end) return -1
  const found = findBit(text, bit, range)
  // Without an explicit end, zeros are assumed to follow the string.
  return found === -1 && bit === 0 && args[4] === undefined ? range.end : found
}

function findBit(text: string, bit: number, { start, end }: BitRange): number {
  const none = bit === 1 ? 0 : 0xff
  for (let at = start; at < end; ) {
    if (at % 8 === 0 && at + 8 <= end && text.charCodeAt(at / 8) === none) at += 8
    else if (bitAt(text, at) === bit) return at
    else at++
  }
  return -1
}

const operations: { readonly [name: string]: (a: number, b: number) => number } = {
  and: (a, b) => a & b,
  or: (a, b) => a | b,
  xor: (a, b) => a ^ b,
  not: (a) => ~a & 0xff,
}

function bitop(session: Session, args: readonly string[]): Answer {
  const name = args[1]!.toLowerCase()
  const operation = operations[name]
  if (operation === undefined) return syntaxError
  if (name === 'not' && args.length !== 4) {
    return new ErrorReply('ERR BITOP NOT must be called with a single source key.')
  }
  const sources: string[] = []
  for (const key of args.slice(3)) {
    const entry = typedRead(session, key, 'string')
    if (entry instanceof ErrorReply) return entry
    sources.push(entry?.text ?? '')
  }
  const { database } = session
  const target = args[2]!
  const length = Math.max(...sources.map((source) => source.length))
  if (length === 0) {
    if (database.remove(target)) database.touched(target, 'g', 'del')
    return 0
  }
  database.put(target, new StringEntry(combine(sources, length, operation), 'raw'))
  database.touched(target, '$', 'set')
  return length
}

function combine(sources: readonly string[], length: number, operation: (a: number, b: number) => number): string {
  const result = Buffer.alloc(length)
  const padded = sources.map((source) => Buffer.from(source.padEnd(length, '\0'), 'latin1'))
  for (let at = 0; at < length; at++) {
    let byte = padded[0]![at]!
    if (operation === operations.not) byte = operation(byte, 0)
    for (let source = 1; source < padded.length; source++) byte = operation(byte, padded[source]![at]!)
    result[at] = byte
  }
  return result.toString('latin1')
}

export const bitHandlers: Handlers = { setbit, getbit, bitcount, bitpos, bitop }
