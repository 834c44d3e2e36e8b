/**
 * Bob Jenkins' lookup3 hash over bytes, as hashtext() and hashtextextended() compute it on a
 * little-endian machine. Returns the last two words. `seed` is 0 for hashtext().
 */
export function hashBytes(bytes: Uint8Array, seed = 0n): readonly [b: number, c: number] {
  let a = (0x9e3779b9 + bytes.length + 3923095) | 0
  let b = a
  let c = a
  if (seed !== 0n) {
    a = (a + Number(BigInt.asIntN(32, seed >> 32n))) | 0
    b = (b + Number(BigInt.asIntN(32, seed))) | 0
    ;[a, b, c] = mix(a, b, c)
  }
  let at = 0
  const word = (from: number) =>
    bytes[from]! | (bytes[from + 1]! << 8) | (bytes[from + 2]! << 16) | (bytes[from + 3]! << 24)
  for (; bytes.length - at >= 12; at += 12) {
    ;[a, b, c] = mix((a + word(at)) | 0, (b + word(at + 4)) | 0, (c + word(at + 8)) | 0)
  }
  const left = bytes.length - at
  // The lowest byte of the last word is reserved for the length.
  for (let i = left - 1; i >= 8; i--) c = (c + (bytes[at + i]! << ((i - 7) * 8))) | 0
  for (let i = Math.min(left, 8) - 1; i >= 4; i--) b = (b + (bytes[at + i]! << ((i - 4) * 8))) | 0
  for (let i = Math.min(left, 4) - 1; i >= 0; i--) a = (a + (bytes[at + i]! << (i * 8))) | 0
  return last(a, b, c)
}

const turn = (value: number, by: number) => (value << by) | (value >>> (32 - by))

function mix(a: number, b: number, c: number): [number, number, number] {
  a = ((a - c) ^ turn(c, 4)) | 0
  c = (c + b) | 0
  b = ((b - a) ^ turn(a, 6)) | 0
  a = (a + c) | 0
  c = ((c - b) ^ turn(b, 8)) | 0
  b = (b + a) | 0
  a = ((a - c) ^ turn(c, 16)) | 0
  c = (c + b) | 0
  b = ((b - a) ^ turn(a, 19)) | 0
  a = (a + c) | 0
  c = ((c - b) ^ turn(b, 4)) | 0
  b = (b + a) | 0
  return [a, b, c]
}

function last(a: number, b: number, c: number): readonly [number, number] {
  c = ((c ^ b) - turn(b, 14)) | 0
  a = ((a ^ c) - turn(c, 11)) | 0
  b = ((b ^ a) - turn(a, 25)) | 0
  c = ((c ^ b) - turn(b, 16)) | 0
  a = ((a ^ c) - turn(c, 4)) | 0
  b = ((b ^ a) - turn(a, 14)) | 0
  c = ((c ^ b) - turn(b, 24)) | 0
  return [b, c]
}
