/** The first 32 bits of the fractional parts of the roots of the first primes. */
function rootsOfPrimes(count: number, root: (prime: number) => number): number[] {
  const primes: number[] = []
  for (let one = 2; primes.length < count; one++) if (primes.every((prime) => one % prime !== 0)) primes.push(one)
  return primes.map((prime) => ((root(prime) % 1) * 2 ** 32) | 0)
}

const constants = rootsOfPrimes(64, Math.cbrt)
const initial = {
  256: rootsOfPrimes(8, Math.sqrt),
  // These are the second 32 bits of the fractional parts of the square roots of the 9th to 16th
  // primes. A JavaScript number is not precise enough to compute them.
  224: [0xc1059ed8, 0x367cd507, 0x3070dd17, 0xf70e5939, 0xffc00b31, 0x68581511, 0x64f98fa7, 0xbefa4fa4],
}

/** The SHA-224 or SHA-256 hash of FIPS 180-4, in hexadecimal. */
export function sha2(bits: 224 | 256, bytes: Uint8Array): string {
  const blocks = Math.ceil((bytes.length + 9) / 64)
  const padded = new DataView(new ArrayBuffer(blocks * 64))
  for (const [i, byte] of [...bytes, 0x80].entries()) padded.setUint8(i, byte)
  padded.setBigUint64(blocks * 64 - 8, BigInt(bytes.length) * 8n)
  const state = [...initial[bits]]
  const words = new Int32Array(64)
  for (let block = 0; block < blocks; block++) {
    for (let i = 0; i < 64; i++) words[i] = i < 16 ? padded.getInt32(block * 64 + i * 4) : scheduled(words, i)
    let [a, b, c, d, e, f, g, h] = state as [number, number, number, number, number, number, number, number]
    for (let i = 0; i < 64; i++) {
      const one = h + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + ((e & f) ^ (~e & g)) + constants[i]! + words[i]!
      const other = (turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))
      ;[h, g, f, e, d, c, b, a] = [g, f, e, (d + one) | 0, c, b, a, (one + other) | 0]
    }
    for (const [i, one] of [a, b, c, d, e, f, g, h].entries()) state[i] = (state[i]! + one) | 0
  }
  return state
    .slice(0, bits / 32)
    .map((word) => (word >>> 0).toString(16).padStart(8, '0'))
    .join('')
}

const turn = (value: number, by: number) => (value >>> by) | (value << (32 - by))

function scheduled(words: Int32Array, i: number): number {
  const [early, late] = [words[i - 15]!, words[i - 2]!]
  const before = turn(early, 7) ^ turn(early, 18) ^ (early >>> 3)
  const after = turn(late, 17) ^ turn(late, 19) ^ (late >>> 10)
  return (words[i - 16]! + before + words[i - 7]! + after) | 0
}
