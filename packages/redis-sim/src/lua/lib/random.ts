/**
 * Redis's own `lrand48`: the same sequence on every machine. Its state belongs to the server
 * process: since Redis 7.0 a script goes on where the one before it stopped.
 */
export interface RandomState {
  /** The 48-bit state in halves of 24 bits, whose products a double holds exactly. */
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

/** 31 bits. */
export function lrand48(state: RandomState): number {
  const product = state.low * multiplierLow + increment
  const carry = Math.floor(product / half)
  state.high = (state.high * multiplierLow + state.low * multiplierHigh + carry) % half
  state.low = product % half
  return Math.floor((state.high * half + state.low) / 2 ** 17)
}
