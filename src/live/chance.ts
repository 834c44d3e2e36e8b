/**
 * Seeded chance for what a live run draws (which consumer gets a message): the same seed asks for the same things, as
 * far as a real machine lets it. Steps of an xorshift generator (Marsaglia, Xorshift RNGs, 2003).
 */
export function chanceFrom(seed: number): (n: number) => number {
  let state = seed >>> 0 || 1
  return (n) => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    state >>>= 0
    return state % n
  }
}
