import { assert } from 'virtual-node/assert'

/** The number of open things of one kind. */
export class Count {
  #now = 0

  /** `what`: the assumption that is broken if `end` is called too often. */
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
