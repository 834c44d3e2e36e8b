/**
 * Maps keys to the 16384 slots. Source: keyHashSlot of Redis 7.0 and its specification of CRC16
 * (XMODEM).
 */
export const slotCount = 16384

const table = Uint16Array.from({ length: 256 }, (_, byte) => {
  let crc = byte << 8
  for (let bit = 0; bit < 8; bit++) crc = crc & 0x8000 ? (crc << 1) ^ 0x1021 : crc << 1
  return crc
})

/**
 * Keys are byte strings. Only the hash tag, the text between the first `{` and the next `}`, is
 * hashed, unless it is empty.
 */
export function keySlot(key: string): number {
  const open = key.indexOf('{')
  const close = open === -1 ? -1 : key.indexOf('}', open + 1)
  const [from, to] = close > open + 1 ? [open + 1, close] : [0, key.length]
  let crc = 0
  for (let at = from; at < to; at++) crc = ((crc << 8) & 0xffff) ^ table[(crc >> 8) ^ key.charCodeAt(at)]!
  return crc % slotCount
}
