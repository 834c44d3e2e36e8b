import { assert } from '../assert.ts'
import type { ChoiceStream } from '../kernel/choices.ts'

/**
 * Latencies in microseconds: mostly within a millisecond; one message in 64 is much later (a queue,
 * a lost segment).
 */
const leastUs = 150
const spreadUs = 1000
const tailSteps = 16

/** The number of choices of a latency. */
export const mostLatency = spreadUs + tailSteps

/** The latency for a choice, in microseconds. */
export function latencyOf(chosen: number): number {
  return chosen < spreadUs ? leastUs + chosen : leastUs + spreadUs + (chosen - spreadUs + 1) ** 2 * 100
}

/**
 * One direction between a process slot and a node. Latency is drawn for each message; order is kept
 * within a flow (`Pipe`), not between flows.
 */
export class Direction {
  /** The number of partitions that block it. */
  #blocks = 0
  /** Added to every latency while a slow-link fault is on. */
  extraUs = 0
  readonly pipes = new Set<{ release(): void }>()

  constructor(readonly chance: ChoiceStream) {}

  /**
   * `about`: the label of the message, or another step of a connection; null if the link's name is
   * enough.
   */
  latencyUs(about: string | null): number {
    const chosen = this.chance.choose('latency', mostLatency, about)
    assert(this.extraUs >= 0, 'a link gets back no more time than was added')
    return latencyOf(chosen) + this.extraUs
  }

  get blocked(): boolean {
    return this.#blocks > 0
  }

  block(): void {
    this.#blocks++
  }

  /**
   * Once the last partition is gone, held messages travel in order, when the sender's
   * retransmission timer fires.
   */
  unblock(): void {
    assert(this.#blocks > 0, 'a partition that is gone was in the way')
    if (--this.#blocks > 0) return
    for (const pipe of this.pipes) pipe.release()
  }
}

/** About half of a round trip over the loopback device, in microseconds. */
const loopbackUs = 25

/** Within one machine: constant latency, and partitions do not apply. */
export class Loopback extends Direction {
  override latencyUs(): number {
    return loopbackUs
  }
}

/** Both directions between one process slot and one node. */
export class Link {
  constructor(
    readonly toNode: Direction,
    readonly toProcess: Direction,
  ) {}
}
