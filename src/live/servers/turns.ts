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
