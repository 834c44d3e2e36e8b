/**
 * Redis's `lrand48`, which gives the same sequence on every machine. The state belongs to the
 * server process: since Redis 7.0, a script continues the sequence of the previous one.
 */
export interface RandomState {
  /** The 48-bit state in halves of 24 bits, whose products are exact in a double. */
  high: number
  low: number
}

const half = 2 ** 24
const multiplierHigh = 0x5de
const multiplierLow = 0xece66d
const increment = 0xb

export function initialRandom(): RandomState {
  return { high: 0x1234ab, low: 0xcd330e }
}

/** `seed` is a 32-bit integer. */
export function seedRandom(state: RandomState, seed: number): void {
  const unsigned = seed >>> 0
  state.high = Math.floor(unsigned / 256)
  state.low = (unsigned % 256) * 65536 + 0x330e
}

/** A 31-bit random integer. */
export function lrand48(state: RandomState): number {
  const product = state.low * multiplierLow + increment
  const carry = Math.floor(product / half)
  state.high = (state.high * multiplierLow + state.low * multiplierHigh + carry) % half
  state.low = product % half
  return Math.floor((state.high * half + state.low) / 2 ** 17)
}
