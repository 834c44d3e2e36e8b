import { assert } from '../assert.ts'

/** An event at a virtual time. */
export interface QueuedEvent<Owner> {
  readonly atUs: number
  /** Order of scheduling: breaks ties, first in, first out. */
  readonly seq: number
  /** The process in whose turn it happens; null for the world outside of all processes. */
  readonly owner: Owner | null
  callback: (() => void) | null
  /** For a timer of the owner, its delay in whole milliseconds; null for other events. */
  readonly timerMs: number | null
}

/**
 * A binary heap by time, then by order of scheduling. Canceled events stay in it, empty, until
 * their time.
 */
export class EventQueue<Owner> {
  readonly #heap: QueuedEvent<Owner>[] = []

  get size(): number {
    return this.#heap.length
  }

  push(event: QueuedEvent<Owner>): void {
    const heap = this.#heap
    let at = heap.length
    heap.push(event)
    while (at > 0) {
      const parent = (at - 1) >> 1
      const above = heap[parent]!
      if (before(above, event)) break
      heap[at] = above
      at = parent
    }
    heap[at] = event
  }

  pop(): QueuedEvent<Owner> | undefined {
    const heap = this.#heap
    const first = heap[0]
    const last = heap.pop()
    if (first === undefined || last === undefined || first === last) return first
    let at = 0
    for (;;) {
      let child = 2 * at + 1
      if (child >= heap.length) break
      if (child + 1 < heap.length && before(heap[child + 1]!, heap[child]!)) child++
      if (before(last, heap[child]!)) break
      heap[at] = heap[child]!
      at = child
    }
    heap[at] = last
    assert(!before(heap[0]!, first), 'events leave in the order of time and scheduling')
    return first
  }
}

function before<Owner>(a: QueuedEvent<Owner>, b: QueuedEvent<Owner>): boolean {
  return a.atUs < b.atUs || (a.atUs === b.atUs && a.seq < b.seq)
}
