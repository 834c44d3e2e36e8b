/**
 * Maps an element to its register and value. Source: hyperloglog.c of Redis 7.0 (MurmurHash64A).
 */
const multiplier = 0xc6a4a7935bd1e995n
const seed = 0xadc83b19n
const indexBits = 14n

/** Number of registers of every HyperLogLog. */
export const registerCount = 16384
/** One more than the longest run of zeros that a hash can begin with. */
export const longestRun = 51

const u64 = (value: bigint) => BigInt.asUintN(64, value)

function murmurHash(text: string): bigint {
  let hash = u64(seed ^ u64(BigInt(text.length) * multiplier))
  const whole = text.length - (text.length % 8)
  for (let at = 0; at < whole; at += 8) {
    let word = u64(littleEndian(text, at, 8) * multiplier)
    word = u64((word ^ (word >> 47n)) * multiplier)
    hash = u64((hash ^ word) * multiplier)
  }
  if (whole < text.length) hash = u64((hash ^ littleEndian(text, whole, text.length - whole)) * multiplier)
  hash = u64((hash ^ (hash >> 47n)) * multiplier)
  return hash ^ (hash >> 47n)
}

function littleEndian(text: string, from: number, count: number): bigint {
  let word = 0n
  for (let at = count - 1; at >= 0; at--) word = (word << 8n) | BigInt(text.charCodeAt(from + at))
  return word
}

export function place(element: string): { readonly register: number; readonly run: number } {
  const hash = murmurHash(element)
  let rest = hash >> indexBits
  let run = 1
  while (run < longestRun && (rest & 1n) === 0n) {
    rest >>= 1n
    run++
  }
  return { register: Number(hash & (BigInt(registerCount) - 1n)), run }
}
