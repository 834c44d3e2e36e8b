import { assert } from 'virtual-node/assert'

/** Serializes operations on a server. */
export class Turns {
  #last: Promise<void> = Promise.resolve()

  /** Waits for the operation's turn. Resolves to a function that ends the turn. */
  async next(): Promise<() => void> {
    const before = this.#last
    let end = (): void => {}
    this.#last = new Promise((resolve) => (end = resolve))
    await before
    return end
  }
}

/**
 * The turns of operations that make a server unavailable. Each lasts until its operation has
 * healed.
 */
export class KeptTurns<Degradation> {
  readonly #ends = new Map<Degradation, () => void>()

  keep(of: Degradation, endTurn: () => void): void {
    this.#ends.set(of, endTurn)
  }

  /** Ends the turn, because the degradation has healed. Always returns true. */
  end(of: Degradation): true {
    const endTurn = this.#ends.get(of)
    assert(endTurn !== undefined, 'what heals a server has its turn')
    this.#ends.delete(of)
    endTurn()
    return true
  }
}
