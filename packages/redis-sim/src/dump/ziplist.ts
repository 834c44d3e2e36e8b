/** Reads ziplists, which older versions of Redis wrote instead of listpacks. */
import { BadBytes, ByteReader } from './bytes.ts'

const widths: { readonly [head: number]: number } = { 192: 2, 208: 4, 224: 8, 240: 3, 254: 1 }

/** Returns all elements as text. Throws `BadBytes` if the bytes are not a ziplist. */
export function readZiplist(bytes: string): string[] {
  const reader = new ByteReader(bytes)
  if (Number(reader.little(4)) !== bytes.length) throw new BadBytes('a ziplist with the wrong length')
  reader.take(6)
  const elements: string[] = []
  for (;;) {
    // An entry begins with the length of the previous entry. The end marker 0xff replaces the first
    // byte.
    const before = reader.byte()
    if (before === 0xff) break
    if (before === 0xfe) reader.take(4)
    elements.push(readEntry(reader))
  }
  if (!reader.isAtEnd) throw new BadBytes('a ziplist that goes on after its end')
  return elements
}

function readEntry(reader: ByteReader): string {
  const head = reader.byte()
  if (head < 0x40) return reader.take(head)
  if (head < 0x80) return reader.take(((head & 0x3f) << 8) | reader.byte())
  if (head === 0x80) {
    let length = 0
    for (let left = 4; left > 0; left--) length = length * 256 + reader.byte()
    return reader.take(length)
  }
  const width = widths[head]
  if (width !== undefined) return String(reader.signed(width))
  if (head >= 0xf1 && head <= 0xfd) return String((head & 0x0f) - 1)
  throw new BadBytes('an unknown entry of a ziplist')
}
