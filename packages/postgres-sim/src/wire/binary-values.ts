/**
 * Converts values between the binary format and the engine's text format (`*recv` and `*send` of
 * PostgreSQL 15, src/backend/utils/adt). Each byte is one character of a string.
 */
import { SqlError } from '../index.ts'
import { bytesOf, wholeText } from './text.ts'

/** Thrown for a type whose binary format is not simulated. */
export class UnknownFormat extends Error {
  constructor(typeOid: number) {
    super(`a value in binary format, of the type with oid ${typeOid}`)
  }
}

interface Codec {
  /** Length of the values in bytes; absent if it varies. */
  readonly length?: number
  toText(bytes: Buffer): string
  toBytes(text: string): Buffer
}

function fixed(length: number, read: (bytes: Buffer) => string, write: (into: Buffer, text: string) => void): Codec {
  return {
    length,
    toText: read,
    toBytes(text) {
      const bytes = Buffer.alloc(length)
      write(bytes, text)
      return bytes
    },
  }
}

const plainText: Codec = {
  toText: (bytes) => wholeText(bytes.toString('latin1')),
  toBytes: (text) => Buffer.from(text, 'utf8'),
}

/** The jsonb format is a version byte, which is 1, and the text. */
const jsonb: Codec = {
  toText: (bytes) => wholeText(bytes.toString('latin1', 1)),
  toBytes: (text) => Buffer.from(`\x01${text}`, 'utf8'),
}

const bytea: Codec = {
  toText: (bytes) => `\\x${bytes.toString('hex')}`,
  toBytes: (text) => Buffer.from(text.slice(2), 'hex'),
}

/** The format of bit strings: the number of bits, and then the bits. */
const bits: Codec = {
  toText: (bytes) =>
    [...bytes.subarray(4)]
      .map((one) => one.toString(2).padStart(8, '0'))
      .join('')
      .slice(0, bytes.readInt32BE()),
  toBytes(text) {
    const bytes = Buffer.alloc(4 + Math.ceil(text.length / 8))
    bytes.writeInt32BE(text.length)
    for (let at = 0; at < text.length; at += 8)
      bytes[4 + at / 8] = Number.parseInt(text.slice(at, at + 8).padEnd(8, '0'), 2)
    return bytes
  },
}

const uuid: Codec = {
  length: 16,
  toText: (bytes) => bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-'),
  toBytes: (text) => Buffer.from(text.replaceAll('-', ''), 'hex'),
}

const usOfDay = 86_400_000_000n
/** PostgreSQL's epoch 2000-01-01, in microseconds since 1970. */
const countedFromUs = 946_684_800_000_000n
const infinite = { infinity: 2n ** 63n - 1n, '-infinity': -(2n ** 63n) } as const

/** Timestamps in the text format, with ISO dates and time zone UTC. */
function timestamp(zone: string): Codec {
  return fixed(
    8,
    (bytes) => {
      const count = bytes.readBigInt64BE()
      if (count === infinite.infinity) return 'infinity'
      if (count === infinite['-infinity']) return '-infinity'
      const us = count + countedFromUs
      const ofSecond = ((us % 1_000_000n) + 1_000_000n) % 1_000_000n
      const date = new Date(Number((us - ofSecond) / 1000n)).toISOString().replace('T', ' ').replace('.000Z', '')
      return date + (ofSecond === 0n ? '' : `.${String(ofSecond).padStart(6, '0').replace(/0+$/, '')}`) + zone
    },
    (into, text) => {
      const known = infinite[text as keyof typeof infinite]
      if (known !== undefined) {
        into.writeBigInt64BE(known)
        return
      }
      const [, second, fraction = ''] = /^(.{19})(?:\.(\d+))?/.exec(text)!
      const us = BigInt(Date.parse(`${second!.replace(' ', 'T')}Z`)) * 1000n + BigInt(fraction.padEnd(6, '0'))
      into.writeBigInt64BE(us - countedFromUs)
    },
  )
}

const infiniteDay = { infinity: 0x7fffffff, '-infinity': -0x80000000 } as const

const date: Codec = fixed(
  4,
  (bytes) => {
    const count = bytes.readInt32BE()
    if (count === infiniteDay.infinity) return 'infinity'
    if (count === infiniteDay['-infinity']) return '-infinity'
    const us = BigInt(count) * usOfDay + countedFromUs
    return new Date(Number(us / 1000n)).toISOString().slice(0, 10)
  },
  (into, text) => {
    const known = infiniteDay[text as keyof typeof infiniteDay]
    into.writeInt32BE(known ?? Number((BigInt(Date.parse(text)) * 1000n - countedFromUs) / usOfDay))
  },
)

/** Codecs by the oid of the type (src/include/catalog/pg_type.dat). */
const codecs: ReadonlyMap<number, Codec> = new Map([
  [
    16,
    fixed(
      1,
      (bytes) => (bytes[0] === 0 ? 'f' : 't'),
      (into, text) => void into.writeUInt8(text === 't' ? 1 : 0),
    ),
  ],
  [17, bytea],
  [19, plainText],
  [
    20,
    fixed(
      8,
      (bytes) => String(bytes.readBigInt64BE()),
      (into, text) => void into.writeBigInt64BE(BigInt(text)),
    ),
  ],
  [
    21,
    fixed(
      2,
      (bytes) => String(bytes.readInt16BE()),
      (into, text) => void into.writeInt16BE(Number(text)),
    ),
  ],
  [
    23,
    fixed(
      4,
      (bytes) => String(bytes.readInt32BE()),
      (into, text) => void into.writeInt32BE(Number(text)),
    ),
  ],
  [25, plainText],
  [
    26,
    fixed(
      4,
      (bytes) => String(bytes.readUInt32BE()),
      (into, text) => void into.writeUInt32BE(Number(text)),
    ),
  ],
  [114, plainText],
  [
    700,
    fixed(
      4,
      (bytes) => String(bytes.readFloatBE()),
      (into, text) => void into.writeFloatBE(Number(text)),
    ),
  ],
  [
    701,
    fixed(
      8,
      (bytes) => String(bytes.readDoubleBE()),
      (into, text) => void into.writeDoubleBE(Number(text)),
    ),
  ],
  [705, plainText],
  [1042, plainText],
  [1043, plainText],
  [1082, date],
  [1114, timestamp('')],
  [1184, timestamp('+00')],
  [1560, bits],
  [1562, bits],
  [2950, uuid],
  [3802, jsonb],
])

/**
 * Converts the binary format to text. `parameter` is the number of the parameter, counted from 1.
 * @throws UnknownFormat; SqlError if the length does not match the type
 */
function textOfBinary(typeOid: number, bytes: string, parameter: number): string {
  const codec = codecs.get(typeOid)
  if (codec === undefined) throw new UnknownFormat(typeOid)
  if (codec.length !== undefined && codec.length !== bytes.length)
    throw bytes.length < codec.length
      ? new SqlError('08P01', 'insufficient data left in message')
      : new SqlError('22P03', `incorrect binary data format in bind parameter ${parameter}`)
  return codec.toText(Buffer.from(bytes, 'latin1'))
}

/** @throws UnknownFormat */
function binaryOf(typeOid: number, text: string): string {
  const codec = codecs.get(typeOid)
  if (codec === undefined) throw new UnknownFormat(typeOid)
  return codec.toBytes(text).toString('latin1')
}

/**
 * Converts a parameter (from 1) from the client's format to the engine's text format.
 * @throws SqlError, UnknownFormat
 */
export function received(typeOid: number, format: number, bytes: string, parameter: number): string {
  if (format === 0) return wholeText(bytes)
  if (format !== 1) throw unsupportedFormat(format)
  return textOfBinary(typeOid, bytes, parameter)
}

/** Converts a value of the engine to the client's format. @throws UnknownFormat */
export function sent(typeOid: number, format: number, text: string): string {
  if (format === 0) return bytesOf(text)
  if (format !== 1) throw unsupportedFormat(format)
  return binaryOf(typeOid, text)
}

const unsupportedFormat = (format: number) => new SqlError('22023', `unsupported format code: ${format}`)
