import { assert } from 'virtual-node/assert'

/** What is done to a server is done one after the other. */
export class Turns {
  #last: Promise<void> = Promise.resolve()

  /** Resolves when it is one's turn, to what ends it. */
  async next(): Promise<() => void> {
    const before = this.#last
    let end = (): void => {}
    this.#last = new Promise((resolve) => (end = resolve))
    await before
    return end
  }
}

/** The turns of what takes a server's commands away, until that has healed. */
export class KeptTurns<Degradation> {
  readonly #ends = new Map<Degradation, () => void>()

  keep(of: Degradation, endTurn: () => void): void {
    this.#ends.set(of, endTurn)
  }

  /** True, as everything that has healed. */
  end(of: Degradation): true {
    const endTurn = this.#ends.get(of)
    assert(endTurn !== undefined, 'what heals a server has its turn')
    this.#ends.delete(of)
    endTurn()
    return true
  }
}
