import { assert } from 'virtual-node/assert'

/** How many of something there are at the moment. */
export class Count {
  #now = 0

  /** `what`: the rest of "there are no more … than …", which is broken where one too many ends. */
  constructor(private readonly what: string) {}

  get now(): number {
    return this.#now
  }

  begin(): void {
    this.#now++
  }

  /** @throws BrokenAssumption where none has begun */
  end(): void {
    assert(this.#now > 0, this.what)
    this.#now--
  }
}
