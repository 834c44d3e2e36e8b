import { assert } from '../assert.ts'
import type { ChoiceStream } from '../kernel/choices.ts'
import type { QueuedEvent } from '../kernel/event-queue.ts'
import type { Kernel } from '../kernel/kernel.ts'
import type { Pollable } from './pollable.ts'
import { byList } from './timer-lists.ts'

/**
 * The phases of a round of libuv since version 1.45 (`uv_run`); `pending` is work that libuv queues
 * for itself.
 */
const round = ['pending', 'poll', 'pending after poll', 'check', 'closing', 'timers'] as const
type Phase = (typeof round)[number]

/**
 * Work of libuv with a separate phase: what it queues for itself, and callbacks of closed handles.
 */
export interface LateWork {
  readonly phase: 'pending' | 'closing'
  readonly callback: () => void
}

/** The owner of a loop. */
export interface Looping<Owner> {
  readonly kernel: Pick<Kernel<Owner>, 'nowUs' | 'schedule' | 'turn'>
  readonly owner: Owner
  isRunning(): boolean
  /** The source of the loop's choices. */
  chance(): ChoiceStream
  /** Called when nothing waits any more. */
  over(): void
}

/** The state of a process when it stopped. */
export interface Stand<Owner> {
  /** The turn that was running; null if there was none. */
  readonly turn: QueuedEvent<Owner> | null
  /** True if that turn was the callback of a closed handle. */
  readonly isClosing: boolean
  /** Immediates up to this sequence number belong to the last round that ran an immediate. */
  readonly lastImmediate: number
}

/** A callback; it returns the work that follows at once. */
type Work = () => Work | null

const once = (callback: () => void): Work => {
  return () => {
    callback()
    return null
  }
}

/**
 * Simulates Node's event loop, round by round, from the time a process stops until it has handled
 * everything that waited for it, at one virtual time. A process that keeps up needs no such loop,
 * because its turns have separate times. Each callback is a separate event: what a callback
 * schedules for now is queued before the next callback runs.
 *
 * The loop continues from the last turn of the process. After the turn of a timer come sockets,
 * because libuv updates its time only after the poll; after any other turn come the timers that are
 * due. If no turn was running, a choice decides between two cases. If the process was in
 * `epoll_wait`, SIGCONT ends the call with EINTR (signal(7)), and timers come next. If the process
 * waited for its processor, or its machine stood still, `epoll_wait` returns everything that has
 * arrived, and sockets come next. Not simulated: a socket that was read just before the stop comes
 * first again, even if data arrived earlier on other sockets (epoll still lists it).
 */
export class EventLoop<Owner> {
  readonly #pending: Work[] = []
  /**
   * Readable pollables, in the order in which they became readable, as in epoll. They stay until a
   * poll finds nothing.
   */
  readonly #ready = new Set<Pollable>()
  readonly #immediates: QueuedEvent<Owner>[] = []
  readonly #closing: Work[] = []
  readonly #timers: QueuedEvent<Owner>[] = []
  #phase: Phase
  /** The work that is left in the phase. */
  #left: Work[] = []
  /** True until the process continues. */
  #stands = true
  #isStepDue = false
  /**
   * True while a callback is running. A turn that begins then is the turn of this callback, and is
   * not kept for later.
   */
  isTurning = false
  readonly #stoppedUs: number

  constructor(
    private readonly looping: Looping<Owner>,
    private readonly stand: Stand<Owner>,
  ) {
    this.#stoppedUs = looping.kernel.nowUs
    this.#phase = phaseOf(stand)
  }

  /** A pollable became readable. */
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

  /** True if the event belongs to the phase in which the loop stopped. */
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

  /** Continues after the stop. */
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

  /** The work of a phase. Work that its callbacks add is for the next round. */
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
        // uv__make_handle_closing: last in, first out.
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

/** The phase in which the process stopped, or the phase before it. */
function phaseOf<Owner>({ turn, isClosing }: Stand<Owner>): Phase {
  if (isClosing) return 'check'
  if (turn === null || turn.timerMs === null) return 'poll'
  return turn.timerMs === 0 ? 'check' : 'timers'
}
