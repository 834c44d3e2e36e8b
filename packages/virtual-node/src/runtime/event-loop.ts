import { assert } from '../assert.ts'
import type { ChoiceStream } from '../kernel/choices.ts'
import type { QueuedEvent } from '../kernel/event-queue.ts'
import type { Kernel } from '../kernel/kernel.ts'
import type { Pollable } from './pollable.ts'
import { byList } from './timer-lists.ts'

/**
 * A round, as libuv goes it since version 1.45 (`uv_run`); `pending` is what libuv feeds to itself.
 */
const round = ['pending', 'poll', 'pending after poll', 'check', 'closing', 'timers'] as const
type Phase = (typeof round)[number]

/**
 * What libuv does in a phase of its own: what it feeds to itself, and what it tells of handles that
 * were closed.
 */
export interface LateWork {
  readonly phase: 'pending' | 'closing'
  readonly callback: () => void
}

/** Whose loop it is. */
export interface Looping<Owner> {
  readonly kernel: Pick<Kernel<Owner>, 'nowUs' | 'schedule' | 'turn'>
  readonly owner: Owner
  isRunning(): boolean
  /** What it chooses by. */
  chance(): ChoiceStream
  /** Nothing waits any more. */
  over(): void
}

/** Where a process stood when it stopped. */
export interface Stand<Owner> {
  /** In whose turn; null where it was in none. */
  readonly turn: QueuedEvent<Owner> | null
  /** That turn tells of a handle that was closed. */
  readonly isClosing: boolean
  /** The last immediate that is of the same round as the one in whose turn it was last. */
  readonly lastImmediate: number
}

/** A callback; it answers what is to follow at once. */
type Work = () => Work | null

const once = (callback: () => void): Work => {
  return () => {
    callback()
    return null
  }
}

/**
 * Node's event loop, round by round: from when a process stops until it has taken all that waited
 * for it, at one virtual time. A process that keeps up has none, since its turns have times of
 * their own. Each callback is an event of its own, so that what it schedules for now is here before
 * the next one.
 *
 * It goes on where it stopped. After the turn of a timer come sockets, for libuv takes the time
 * only after the poll; after any other turn, timers that are due. In no turn it stood in
 * `epoll_wait`: SIGCONT ends that with EINTR (signal(7)), and timers come next; or it waited for
 * its processor, or its machine stood still, and it comes out with all that has come in. Which of
 * the two it is is chosen. Left out: that a socket which was read just before the stop is the first
 * again, whatever came for others meanwhile (epoll still lists it).
 */
export class EventLoop<Owner> {
  readonly #pending: Work[] = []
  /** As epoll keeps it: by when they became readable, until they are found to be so no more. */
  readonly #ready = new Set<Pollable>()
  readonly #immediates: QueuedEvent<Owner>[] = []
  readonly #closing: Work[] = []
  readonly #timers: QueuedEvent<Owner>[] = []
  #phase: Phase
  /** What is left of the phase. */
  #left: Work[] = []
  /** It has not gone on since it stopped. */
  #stands = true
  #isStepDue = false
  /** A callback runs, whose turn is not to be kept. */
  isTurning = false
  readonly #stoppedUs: number

  constructor(
    private readonly looping: Looping<Owner>,
    private readonly stand: Stand<Owner>,
  ) {
    this.#stoppedUs = looping.kernel.nowUs
    this.#phase = phaseOf(stand)
  }

  /** It became readable. */
  ready(pollable: Pollable): void {
    this.#ready.add(pollable)
  }

  /** Keeps a turn for its phase. */
  keep(event: QueuedEvent<Owner>, late: LateWork | null): void {
    if (late !== null) (late.phase === 'closing' ? this.#closing : this.#pending).push(once(late.callback))
    else if (event.timerMs === null) this.#ready.add({ poll: () => this.#call(event) })
    else if (this.#isOfThePhase(event)) this.#left.push(() => this.#call(event))
    else (event.timerMs === 0 ? this.#immediates : this.#timers).push(event)
  }

  /** Whether that one was to follow in the phase in which it stopped. */
  #isOfThePhase(event: QueuedEvent<Owner>): boolean {
    if (!this.#stands) return false
    return event.timerMs === 0
      ? this.#phase === 'check' && event.seq <= this.stand.lastImmediate
      : this.#phase === 'timers' && event.atUs <= this.#stoppedUs
  }

  #call(event: QueuedEvent<Owner>): null {
    event.callback?.()
    return null
  }

  /** It goes on. */
  goOn(): void {
    if (this.#stands && this.stand.turn === null) this.#phase = this.#comesOut()
    this.#stands = false
    this.#stepSoon()
  }

  #comesOut(): Phase {
    const isChosen = this.#timers.length > 0 && this.#ready.size > 0
    return isChosen && this.looping.chance().choose('sockets before timers', 2) === 1 ? 'timers' : 'poll'
  }

  #stepSoon(): void {
    if (this.#isStepDue) return
    this.#isStepDue = true
    this.looping.kernel.schedule(0, null, () => this.#step())
  }

  #step(): void {
    const { kernel, owner } = this.looping
    assert(!this.isTurning, 'a loop makes one callback at a time')
    this.#isStepDue = false
    if (!this.looping.isRunning()) return
    const work = this.#next()
    if (work === null) return this.looping.over()
    this.isTurning = true
    kernel.turn(owner, () => {
      const more = work()
      if (more !== null) this.#left.unshift(more)
    })
    this.isTurning = false
    this.#stepSoon()
  }

  #next(): Work | null {
    while (this.#left.length === 0) {
      if (this.#isEmpty) return null
      this.#phase = round[(round.indexOf(this.#phase) + 1) % round.length]!
      this.#left = this.#begin()
    }
    return this.#left.shift()!
  }

  get #isEmpty(): boolean {
    const waiting = [this.#pending, this.#immediates, this.#closing, this.#timers]
    return this.#ready.size === 0 && waiting.every(({ length }) => length === 0)
  }

  /** What a phase begins with. What its callbacks add is for the next round. */
  #begin(): Work[] {
    const called = (events: readonly QueuedEvent<Owner>[]) => events.map((event) => () => this.#call(event))
    switch (this.#phase) {
      case 'pending':
      case 'pending after poll':
        return this.#pending.splice(0)
      case 'poll':
        return [...this.#ready].map((pollable) => () => this.#poll(pollable))
      case 'check':
        return called(this.#immediates.splice(0))
      case 'closing':
        // uv__make_handle_closing: each goes in front of those before.
        return this.#closing.splice(0).reverse()
      case 'timers':
        return called(byList(this.#timers.splice(0)))
    }
  }

  #poll(pollable: Pollable): Work | null {
    const rest = pollable.poll()
    if (rest === 'at once') return () => this.#poll(pollable)
    if (rest === null) this.#ready.delete(pollable)
    return null
  }
}

/** The phase that it stopped in, or the one before. */
function phaseOf<Owner>({ turn, isClosing }: Stand<Owner>): Phase {
  if (isClosing) return 'check'
  if (turn === null || turn.timerMs === null) return 'poll'
  return turn.timerMs === 0 ? 'check' : 'timers'
}
