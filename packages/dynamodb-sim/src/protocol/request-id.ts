import { createHash } from 'node:crypto'

const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** A request id: 52 letters and digits, different for each number. */
export function requestId(n: number): string {
  const bytes = createHash('sha512').update(`request ${n}`).digest()
  return Array.from(bytes.subarray(0, 52), (byte) => letters[byte % 32]).join('')
}
