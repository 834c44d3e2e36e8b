/**
 * IDs of stream entries: two unsigned 64-bit numbers, `ms-seq`, in one bigint, so that they can be
 * compared.
 */
import { cString } from '../errors.ts'
import { parseInt64 } from '../numbers/int64.ts'

export type StreamId = bigint

export const maxPart = 2n ** 64n - 1n
export const lastId: StreamId = (maxPart << 64n) | maxPart

export function streamId(ms: bigint, seq: bigint): StreamId {
  return (ms << 64n) | seq
}

export const msOf = (id: StreamId): bigint => id >> 64n
export const seqOf = (id: StreamId): bigint => id & maxPart

export function printId(id: StreamId): string {
  return `${msOf(id)}-${seqOf(id)}`
}

/**
 * Parses `ms-seq`, or `ms` alone with `missingSeq` as the sequence. Source:
 * streamGenericParseIDOrReply of Redis 7.0.
 */
export function parseId(given: string, missingSeq: bigint): StreamId | undefined {
  if (given.length > 127) return undefined
  const text = cString(given)
  const dash = text.indexOf('-')
  const ms = parseUnsigned(dash === -1 ? text : text.slice(0, dash))
  const seq = dash === -1 ? missingSeq : parseUnsigned(text.slice(dash + 1))
  return ms === undefined || seq === undefined ? undefined : streamId(ms, seq)
}

/**
 * Parses `ms-*`, which asks for the next free sequence of that millisecond. Returns the
 * milliseconds.
 */
export function parseIdWithOpenSequence(given: string): bigint | undefined {
  const text = cString(given)
  return given.length <= 127 && /^[^-]*-\*$/.test(text) ? parseUnsigned(text.slice(0, -2)) : undefined
}

/**
 * Source: string2ull of Redis 7.0, which falls back to C's strtoull and thus accepts blanks and
 * signs.
 */
function parseUnsigned(text: string): bigint | undefined {
  const plain = parseInt64(text)
  if (plain !== undefined) return plain < 0 ? undefined : BigInt(plain)
  const match = /^[ \t-\r]*([+-]?)(\d+)$/.exec(text)
  if (match === null) return undefined
  const magnitude = BigInt(match[2]!)
  if (magnitude > maxPart) return undefined
  return match[1] === '-' ? BigInt.asUintN(64, -magnitude) : magnitude
}
