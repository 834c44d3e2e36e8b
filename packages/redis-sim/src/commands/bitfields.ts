/**
 * BITFIELD and BITFIELD_RO: integers of any width within a string. Source: bitops.c of Redis 7.0.
 */

import type { Handler, Handlers } from '../command.ts'
import { cString, syntaxError } from '../errors.ts'
import type { StringEntry } from '../keyspace/entry.ts'
import { parseInt64 } from '../numbers/int64.ts'
import { ErrorReply, type Reply } from '../resp/reply.ts'
import type { Session } from '../session.ts'
import { integer, typedRead } from './arguments.ts'
import { bitAt, bitOffset, stringForBits } from './bits.ts'

interface FieldType {
  readonly signed: boolean
  readonly bits: number
}

type Overflow = 'wrap' | 'sat' | 'fail'

interface Operation extends FieldType {
  readonly kind: 'get' | 'set' | 'incrby'
  readonly offset: number
  readonly value: bigint
  readonly overflow: Overflow
}

const badType = new ErrorReply(
  'ERR Invalid bitfield type. Use something like i16 u8. Note that u64 is not supported but i64 is.',
)

function bitfield(readOnly: boolean): Handler {
  return (session, args) => {
    const operations = parse(session, args)
    if (operations instanceof ErrorReply) return operations
    const writes = operations.filter(({ kind }) => kind !== 'get')
    if (writes.length === 0) {
      const entry = typedRead(session, args[1]!, 'string')
      if (entry instanceof ErrorReply) return entry
      return operations.map((operation) => shown(read(entry?.text ?? '', operation)))
    }
    if (readOnly) return new ErrorReply('ERR BITFIELD_RO only supports the GET subcommand')
    const highest = Math.max(...writes.map(({ offset, bits }) => offset + bits - 1))
    const found = stringForBits(session, args[1]!, highest)
    if (found instanceof ErrorReply) return found
    return run(session, args[1]!, found.entry, found.grown, operations)
  }
}

function run(
  session: Session,
  key: string,
  entry: StringEntry,
  grown: boolean,
  operations: readonly Operation[],
): Reply {
  let changed = false
  const replies = operations.map((operation): Reply => {
    const before = read(entry.text, operation)
    if (operation.kind === 'get') return shown(before)
    const wanted = operation.kind === 'set' ? unsignedIf(operation, operation.value) : before + operation.value
    const after = narrow(wanted, operation)
    if (after === null) return null
    entry.text = write(entry.text, operation, after)
    if (grown || after !== before) changed = true
    return shown(operation.kind === 'set' ? before : after)
  })
  if (changed) session.database.touched(key, '$', 'setbit')
  return replies
}

function parse(session: Session, args: readonly string[]): Operation[] | ErrorReply {
  const operations: Operation[] = []
  let overflow: Overflow = 'wrap'
  for (let at = 2; at < args.length; ) {
    const word = args[at]!.toLowerCase()
    const more = args.length - at - 1
    if (word === 'overflow' && more >= 1) {
      const asked = args[at + 1]!.toLowerCase()
      if (!/^(wrap|sat|fail)$/.test(asked)) return new ErrorReply('ERR Invalid OVERFLOW type specified')
      overflow = asked as Overflow
      at += 2
      continue
    }
    const isGet = word === 'get' && more >= 2
    if (!isGet && !((word === 'set' || word === 'incrby') && more >= 3)) return syntaxError
    const type = parseType(args[at + 1]!)
    if (type instanceof ErrorReply) return type
    const offset = bitOffset(session, args[at + 2]!, type.bits)
    if (offset instanceof ErrorReply) return offset
    const value = isGet ? 0 : integer(args[at + 3]!)
    if (value instanceof ErrorReply) return value
    operations.push({ ...type, kind: word as Operation['kind'], offset, value: BigInt(value), overflow })
    at += isGet ? 3 : 4
  }
  return operations
}

function parseType(text: string): FieldType | ErrorReply {
  const shown = cString(text)
  const signed = shown[0] === 'i'
  const bits = parseInt64(shown.slice(1))
  if ((!signed && shown[0] !== 'u') || bits === undefined || bits < 1 || bits > (signed ? 64 : 63)) return badType
  return { signed, bits: Number(bits) }
}

function read(text: string, { signed, bits, offset }: Operation): bigint {
  let value = 0n
  for (let bit = 0; bit < bits; bit++) value = (value << 1n) | BigInt(bitAt(text, offset + bit))
  return signed ? BigInt.asIntN(bits, value) : value
}

function write(text: string, { bits, offset }: Operation, value: bigint): string {
  const first = Math.floor(offset / 8)
  const last = Math.floor((offset + bits - 1) / 8)
  const bytes = [...text.slice(first, last + 1)].map((char) => char.charCodeAt(0))
  for (let bit = 0; bit < bits; bit++) {
    const at = offset + bit - first * 8
    const mask = 1 << (7 - (at % 8))
    const on = ((value >> BigInt(bits - 1 - bit)) & 1n) === 1n
    bytes[at >> 3] = on ? bytes[at >> 3]! | mask : bytes[at >> 3]! & ~mask
  }
  return text.slice(0, first) + String.fromCharCode(...bytes) + text.slice(last + 1)
}

/** A negative number in an unsigned field wraps around to a large one. */
function unsignedIf({ signed }: FieldType, value: bigint): bigint {
  return signed ? value : BigInt.asUintN(64, value)
}

/** Fits the value into the field; null if OVERFLOW FAIL refuses it. */
function narrow(value: bigint, { signed, bits, overflow }: Operation): bigint | null {
  const max = 2n ** BigInt(signed ? bits - 1 : bits) - 1n
  const min = signed ? -max - 1n : 0n
  if (value >= min && value <= max) return value
  if (overflow === 'fail') return null
  if (overflow === 'sat') return value > max ? max : min
  return signed ? BigInt.asIntN(bits, value) : BigInt.asUintN(bits, value)
}

function shown(value: bigint): Reply {
  return value >= Number.MIN_SAFE_INTEGER && value <= Number.MAX_SAFE_INTEGER ? Number(value) : value
}

export const bitfieldHandlers: Handlers = { bitfield: bitfield(false), bitfield_ro: bitfield(true) }
