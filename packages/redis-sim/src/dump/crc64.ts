/**
 * Redis's CRC-64 (Jones) of a payload, lowest byte first. Computed in two halves of 32 bits,
 * because bigints are slow.
 */
import { littleEndian } from './bytes.ts'

const polynomial = { high: 0x95ac9329, low: 0xac4bc9b5 }

let tables: { readonly high: Uint32Array; readonly low: Uint32Array } | undefined

function buildTables(): { readonly high: Uint32Array; readonly low: Uint32Array } {
  const high = new Uint32Array(256)
  const low = new Uint32Array(256)
  for (let byte = 0; byte < 256; byte++) {
    let h = 0
    let l = byte
    for (let bit = 0; bit < 8; bit++) {
      const odd = l & 1
      l = (l >>> 1) | (h << 31)
      h >>>= 1
      if (odd === 1) {
        h ^= polynomial.high
        l ^= polynomial.low
      }
    }
    high[byte] = h
    low[byte] = l
  }
  return { high, low }
}

export function crc64(bytes: string): string {
  const { high, low } = (tables ??= buildTables())
  let h = 0
  let l = 0
  for (let at = 0; at < bytes.length; at++) {
    const index = (l ^ bytes.charCodeAt(at)) & 0xff
    l = ((l >>> 8) | (h << 24)) ^ low[index]!
    h = (h >>> 8) ^ high[index]!
  }
  return littleEndian(l >>> 0, 4) + littleEndian(h >>> 0, 4)
}
