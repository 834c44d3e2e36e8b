import { assert } from 'virtual-node/assert'

/** Counts how many operations of one kind are open. */
export class Count {
  #now = 0

  /**
   * `what`: the assumption that breaks if `end` is called more often than `begin`, for the error.
   */
  constructor(private readonly what: string) {}

  get now(): number {
    return this.#now
  }

  begin(): void {
    this.#now++
  }

  /** @throws BrokenAssumption if the count is 0 */
  end(): void {
    assert(this.#now > 0, this.what)
    this.#now--
  }
}
