/**
 * What toxics draw: numbers from 0 to 1, anew with every run, so that a run draws the same whatever was made before it.
 * Steps of an xorshift generator (Marsaglia, Xorshift RNGs, 2003).
 */
export class ToxicChance {
  #state = 1

  readonly random = (): number => {
    let state = this.#state
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    this.#state = state >>> 0
    return this.#state / 2 ** 32
  }

  drawFrom(seed: number): void {
    // Spread over all bits: the first steps of a small state are small numbers.
    this.#state = Math.imul(seed, 0x9e3779b1) >>> 0 || 1
  }
}
