import type { Pollable, Rest } from '../runtime/pollable.ts'
import type { ByteStream, Endpoint } from '../runtime/transport.ts'

type Accept = (stream: ByteStream) => Endpoint

/** A connection that stands, and that the process has not accepted. */
export interface Waiting extends ByteStream {
  /** In a turn of the process. */
  accepted(accept: Accept): void
}

/**
 * Connections that wait until the process that listens accepts them. Left out: the length of the
 * backlog.
 */
export class Backlog implements Pollable {
  readonly #waiting = new Map<Waiting, Accept>()

  add(waiting: Waiting, accept: Accept): void {
    this.#waiting.set(waiting, accept)
  }

  /** Nobody listens any more. */
  reset(): void {
    for (const waiting of this.#waiting.keys()) waiting.close(true)
    this.#waiting.clear()
  }

  /** Node accepts one in a round of its loop. */
  poll(): Rest {
    const [next] = this.#waiting
    if (next === undefined) return null
    const [waiting, accept] = next
    this.#waiting.delete(waiting)
    waiting.accepted(accept)
    return this.#waiting.size > 0 ? 'next round' : null
  }
}
