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
export class KeptTurns<Trouble> {
  readonly #ends = new Map<Trouble, () => void>()

  keep(of: Trouble, endTurn: () => void): void {
    this.#ends.set(of, endTurn)
  }

  /** True, as everything that has healed. */
  end(of: Trouble): true {
    const endTurn = this.#ends.get(of)
    assert(endTurn !== undefined, 'what heals a server has its turn')
    this.#ends.delete(of)
    endTurn()
    return true
  }
}
