/** Lengths and strings in RDB format. Source: rdb.c of Redis 7.0. */
import { parseInt64 } from '../numbers/int64.ts'
import { BadBytes, type ByteReader, bigEndian, littleEndian, readBigEndian } from './bytes.ts'
import { compress, decompress } from './lzf.ts'

const longestInteger = 11
const shortestCompressed = 21

export function writeLength(length: number | bigint): string {
  if (length < 64) return String.fromCharCode(Number(length))
  if (length < 16384) return bigEndian(0x4000 | Number(length), 2)
  return length < 2 ** 32 ? `\x80${bigEndian(length, 4)}` : `\x81${bigEndian(length, 8)}`
}

export function writeString(text: string): string {
  if (text.length <= longestInteger) {
    const value = parseInt64(text)
    if (typeof value === 'number') {
      if (value >= -128 && value <= 127) return `\xc0${littleEndian(value, 1)}`
      if (value >= -32768 && value <= 32767) return `\xc1${littleEndian(value, 2)}`
      if (value >= -2147483648 && value <= 2147483647) return `\xc2${littleEndian(value, 4)}`
    }
  }
  const compressed = text.length >= shortestCompressed ? compress(text, text.length - 4) : null
  if (compressed === null) return writeLength(text.length) + text
  return `\xc3${writeLength(compressed.length)}${writeLength(text.length)}${compressed}`
}

export function writeDouble(value: number): string {
  const buffer = Buffer.alloc(8)
  buffer.writeDoubleLE(value)
  return buffer.toString('latin1')
}

/** Reads a length, or, if `special`, the encoding of the following string. */
function readHead(reader: ByteReader): { readonly length: bigint; readonly special: boolean } {
  const byte = reader.byte()
  const low = BigInt(byte & 0x3f)
  if (byte < 0x40) return { length: low, special: false }
  if (byte < 0x80) return { length: (low << 8n) | BigInt(reader.byte()), special: false }
  if (byte >= 0xc0) return { length: low, special: true }
  if (byte !== 0x80 && byte !== 0x81) throw new BadBytes('an invalid length of RDB files')
  return { length: readBigEndian(reader.take(byte === 0x80 ? 4 : 8)), special: false }
}

export function readBigLength(reader: ByteReader): bigint {
  const { length, special } = readHead(reader)
  if (special) throw new BadBytes('a length was expected')
  return length
}

export function readLength(reader: ByteReader): number {
  return Number(readBigLength(reader))
}

export function readString(reader: ByteReader): string {
  const { length, special } = readHead(reader)
  if (!special) return reader.take(Number(length))
  if (length <= 2n) return String(reader.signed(1 << Number(length)))
  if (length !== 3n) throw new BadBytes('an invalid string of RDB files')
  const compressed = readLength(reader)
  const whole = readLength(reader)
  return decompress(reader.take(compressed), whole)
}

/** Reads a double that is stored as text, the older of two formats. */
export function readTextDouble(reader: ByteReader): number {
  const length = reader.byte()
  if (length === 253) return Number.NaN
  if (length === 254) return Number.POSITIVE_INFINITY
  if (length === 255) return Number.NEGATIVE_INFINITY
  return Number(reader.take(length))
}

export function readDouble(reader: ByteReader): number {
  return Buffer.from(reader.take(8), 'latin1').readDoubleLE()
}
