import type { Pollable, Rest } from '../runtime/pollable.ts'
import type { ByteStream, Endpoint } from '../runtime/transport.ts'

type Accept = (stream: ByteStream) => Endpoint

/** An established connection that the process has not accepted yet. */
export interface Waiting extends ByteStream {
  /** Call it in a turn of the process. */
  accepted(accept: Accept): void
}

/**
 * Connections that wait until the listening process accepts them. Not simulated: the length of the
 * backlog.
 */
export class Backlog implements Pollable {
  readonly #waiting = new Map<Waiting, Accept>()

  add(waiting: Waiting, accept: Accept): void {
    this.#waiting.set(waiting, accept)
  }

  /** Resets all waiting connections, because the server socket is closed. */
  reset(): void {
    for (const waiting of this.#waiting.keys()) waiting.close(true)
    this.#waiting.clear()
  }

  /** Node accepts one connection in each round of its loop. */
  poll(): Rest {
    const [next] = this.#waiting
    if (next === undefined) return null
    const [waiting, accept] = next
    this.#waiting.delete(waiting)
    waiting.accepted(accept)
    return this.#waiting.size > 0 ? 'next round' : null
  }
}
