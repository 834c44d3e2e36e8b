import { assert } from '../assert.ts'
import type { Choices } from './choices.ts'
import { EventQueue, type QueuedEvent } from './event-queue.ts'

/** The limit that ended a run before the world came to rest (docs/how-it-works/design.md 9). */
export type Budget = 'time' | 'events'

export interface KernelLimits {
  /** Virtual microseconds. */
  readonly timeUs: number
  readonly events: number
}

/**
 * Runs events: the runtime enters a process, runs the callback and drains the queues that it
 * filled.
 */
export interface Turns<Owner> {
  take(owner: Owner, event: QueuedEvent<Owner>): void
  /**
   * Work outside of the event loop, for which the kernel must wait without passing virtual time;
   * null if no such work runs. The returned function waits for this work and then calls `goOn` from
   * a macrotask, because draining needs a macrotask.
   */
  outside(): ((goOn: () => void) => void) | null
}

/**
 * Virtual time and the queue of future events. Time is an integer of microseconds since the run
 * began. The kernel does not know networks, processes or Redis: owners are opaque.
 */
export class Kernel<Owner> {
  nowUs = 0
  /** The number of events so far. */
  turns = 0
  /** The number of events so far that were timers of an owner. */
  timers = 0
  /**
   * By a timer's length in milliseconds: when a timer of that length first fired in a live process,
   * in microseconds.
   */
  readonly wentOffUs = new Map<number, number>()
  #queue = new EventQueue<Owner>()
  #seq = 0

  constructor(
    readonly choices: Choices,
    private readonly runner: Turns<Owner>,
  ) {}

  /** The sequence number of the last scheduled event. */
  get lastSeq(): number {
    return this.#seq - 1
  }

  /**
   * Runs `callback` after `delayUs` in the turn of `owner`. `timerMs`: the delay, for a timer of
   * the owner.
   */
  schedule(
    delayUs: number,
    owner: Owner | null,
    callback: () => void,
    timerMs: number | null = null,
  ): QueuedEvent<Owner> {
    assert(delayUs >= 0, 'no event is scheduled in the past')
    assert(Number.isInteger(delayUs), 'an event is scheduled at a whole microsecond')
    const event = { atUs: this.nowUs + delayUs, seq: this.#seq++, owner, callback, timerMs }
    this.#queue.push(event)
    return event
  }

  /**
   * Runs `callback` in a turn of `owner` now. May be called only from an event without an owner. An
   * owner that is behind runs it later.
   */
  turn(owner: Owner, callback: () => void): void {
    this.runner.take(owner, { atUs: this.nowUs, seq: this.#seq++, owner, callback, timerMs: null })
  }

  cancel(event: QueuedEvent<Owner>): void {
    event.callback = null
  }

  /** Called when the run is over; see `VirtualProcess.dispose`. */
  dispose(): void {
    this.#queue = new EventQueue()
  }

  /** Runs until `done`, until nothing is left to happen, or until a budget is spent. */
  run(done: () => boolean, limits: KernelLimits): 'rest' | Budget | Promise<'rest' | Budget> {
    for (;;) {
      if (done()) return 'rest'
      const event = this.#queue.pop()
      if (event === undefined) return 'rest'
      if (event.callback === null) continue
      if (event.atUs > limits.timeUs) {
        this.nowUs = limits.timeUs
        return done() ? 'rest' : 'time'
      }
      if (++this.turns > limits.events) return 'events'
      if (event.timerMs !== null && event.timerMs > 0) this.timers++
      assert(event.atUs >= this.nowUs, 'virtual time never goes back')
      this.nowUs = event.atUs
      if (event.owner === null) event.callback()
      else this.runner.take(event.owner, event)
      const outside = this.runner.outside()
      if (outside !== null) return this.#wait(outside, done, limits)
    }
  }

  /** Returns to the real event loop until the outside work is done, and then continues the run. */
  #wait(outside: (goOn: () => void) => void, done: () => boolean, limits: KernelLimits): Promise<'rest' | Budget> {
    return new Promise((resolve, reject) => {
      outside(() => {
        try {
          resolve(this.run(done, limits))
        } catch (error) {
          reject(error)
        }
      })
    })
  }
}
