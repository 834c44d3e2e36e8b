/** Asks consumer processes for the time of their clocks. A frozen process does not answer. */
import type { ConsumerProcess } from '../host/consumer-process.ts'
import type { FromConsumer } from '../host/protocol.ts'

export type Looked = Extract<FromConsumer, { type: 'looked' }>

export class Looks {
  #count = 0
  readonly #pending = new Map<number, (looked: Looked) => void>()

  at(process: Pick<ConsumerProcess, 'send'>, answered: (looked: Looked) => void): void {
    const look = ++this.#count
    this.#pending.set(look, answered)
    process.send({ type: 'look', look })
  }

  hear(looked: Looked): void {
    this.#pending.get(looked.look)?.(looked)
    this.#pending.delete(looked.look)
  }
}
