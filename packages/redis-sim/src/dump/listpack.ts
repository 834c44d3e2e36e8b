/** Listpacks, the encoding of small collections. Source: listpack.c of Redis 7.0. */
import { parseInt64 } from '../numbers/int64.ts'
import { BadBytes, ByteReader, littleEndian } from './bytes.ts'

const mostCounted = 65535

/** Texts that are integers are stored as integers, so `'1'` and `1n` give the same bytes. */
export function writeListpack(elements: readonly (string | bigint)[]): string {
  const entries = elements.map(writeEntry).join('')
  const count = Math.min(elements.length, mostCounted)
  return `${littleEndian(entries.length + 7, 4)}${littleEndian(count, 2)}${entries}\xff`
}

function writeEntry(element: string | bigint): string {
  const parsed = typeof element === 'bigint' ? element : parseInt64(element)
  const entry = parsed === undefined ? writeText(element as string) : writeInteger(BigInt(parsed))
  return entry + writeBackLength(entry.length)
}

function writeInteger(value: bigint): string {
  const fits = (bits: bigint) => value >= -(1n << (bits - 1n)) && value < 1n << (bits - 1n)
  if (value >= 0n && value <= 127n) return String.fromCharCode(Number(value))
  if (fits(13n)) {
    const bits = Number(BigInt.asUintN(13, value))
    return String.fromCharCode(0xc0 | (bits >> 8), bits & 0xff)
  }
  if (fits(16n)) return `\xf1${littleEndian(value, 2)}`
  if (fits(24n)) return `\xf2${littleEndian(value, 3)}`
  return fits(32n) ? `\xf3${littleEndian(value, 4)}` : `\xf4${littleEndian(value, 8)}`
}

function writeText(text: string): string {
  const { length } = text
  if (length < 64) return String.fromCharCode(0x80 | length) + text
  if (length < 4096) return String.fromCharCode(0xe0 | (length >> 8), length & 0xff) + text
  return `\xf0${littleEndian(length, 4)}${text}`
}

/**
 * Encodes the length of an entry for reading from right to left: seven bits per byte. All bytes
 * except the first have the highest bit set.
 */
function writeBackLength(length: number): string {
  const bytes = backLengthBytes(length)
  let text = ''
  for (let at = bytes - 1; at >= 0; at--) {
    text += String.fromCharCode(((length >> (7 * at)) & 0x7f) | (at === bytes - 1 ? 0 : 0x80))
  }
  return text
}

function backLengthBytes(length: number): number {
  return length <= 127 ? 1 : length < 16383 ? 2 : length < 2097151 ? 3 : length < 268435455 ? 4 : 5
}

/** Returns all elements as text. Throws `BadBytes` if the bytes are not a listpack. */
export function readListpack(bytes: string): string[] {
  const reader = new ByteReader(bytes)
  if (Number(reader.little(4)) !== bytes.length) throw new BadBytes('a listpack with the wrong length')
  const count = Number(reader.little(2))
  const elements: string[] = []
  while (reader.at < bytes.length - 1) {
    const from = reader.at
    elements.push(readEntry(reader))
    reader.take(backLengthBytes(reader.at - from))
  }
  if (reader.byte() !== 0xff) throw new BadBytes('a listpack without an end')
  if (count !== mostCounted && count !== elements.length) throw new BadBytes('a listpack with the wrong count')
  return elements
}

function readEntry(reader: ByteReader): string {
  const head = reader.byte()
  if (head < 0x80) return String(head)
  if (head < 0xc0) return reader.take(head & 0x3f)
  if (head < 0xe0) return String(BigInt.asIntN(13, BigInt(((head & 0x1f) << 8) | reader.byte())))
  if (head < 0xf0) return reader.take(((head & 0x0f) << 8) | reader.byte())
  if (head === 0xf0) return reader.take(Number(reader.little(4)))
  const width = [2, 3, 4, 8][head - 0xf1]
  if (width === undefined) throw new BadBytes('an unknown entry of a listpack')
  return String(reader.signed(width))
}
