import { assert } from '../assert.ts'
import type { Journey } from '../kernel/journeys.ts'
import type { Kernel } from '../kernel/kernel.ts'
import type { Direction } from './link.ts'

interface Parcel<T> {
  content: T
  /** True if it has arrived, and waits for earlier parcels. */
  through: boolean
  dropped: boolean
  /** Null if journeys are not recorded. */
  journey: Journey | null
}

/**
 * An ordered flow over one direction of a link, as in TCP: parcels that a partition stops are held
 * and resent after healing; none overtakes another. A parcel that a partition catches in flight
 * counts as stopped. Not simulated: congestion control, the size of send and receive buffers,
 * separate packets for acknowledgements, and that the data of several writes may come in one read.
 */
export class Pipe<T, Owner> {
  #lastArrivalUs = 0
  readonly #underway: Parcel<T>[] = []
  #held: Parcel<T>[] = []
  #lastJourney: Journey | null = null

  constructor(
    private readonly kernel: Kernel<Owner>,
    private readonly direction: Direction,
    private readonly arrived: (content: T) => void,
    /** Called whenever a partition stops a parcel. */
    private readonly stalled: (() => void) | null = null,
    /** Names a parcel in the choice of its latency. */
    private readonly nameOf: (content: T) => string | null = () => null,
  ) {
    direction.pipes.add(this)
  }

  send(content: T): void {
    const parcel = { content, through: false, dropped: false, journey: null }
    this.#underway.push(parcel)
    if (this.direction.blocked) this.#hold(parcel)
    else this.#travel(parcel, 0)
  }

  /** Replaces the content of the last sent parcel, which must still be in flight. */
  replaceLast(content: T): void {
    const last = this.#underway.at(-1)
    assert(last !== undefined && !last.through, 'only a parcel under way is replaced')
    last.content = content
  }

  #hold(parcel: Parcel<T>): void {
    this.#held.push(parcel)
    this.stalled?.()
  }

  #travel(parcel: Parcel<T>, waitUs: number): void {
    const arrivalUs = Math.max(
      this.#lastArrivalUs,
      this.kernel.nowUs + waitUs + this.direction.latencyUs(this.nameOf(parcel.content)),
    )
    this.#lastArrivalUs = arrivalUs
    this.#record(parcel)
    this.kernel.schedule(arrivalUs - this.kernel.nowUs, null, () => {
      if (parcel.dropped) return
      if (this.direction.blocked) return this.#hold(parcel)
      parcel.through = true
      this.#deliver()
    })
  }

  #record(parcel: Parcel<T>): void {
    const { chance } = this.direction
    const { journeys } = chance.choices
    if (journeys === null) return
    const { nowUs: sentUs, turns } = this.kernel
    const message = { stream: chance.name, nth: chance.made - 1, sentUs, behind: this.#lastJourney }
    parcel.journey = this.#lastJourney = journeys.leaves(message, turns)
  }

  /**
   * Delivers in the order of sending: a parcel that has arrived waits for earlier ones that were
   * stopped.
   */
  #deliver(): void {
    while (this.#underway[0]?.through) {
      const parcel = this.#underway.shift()!
      assert(!parcel.dropped, 'a dropped parcel is never delivered')
      const { journeys } = this.direction.chance.choices
      if (parcel.journey !== null) journeys?.arrives(parcel.journey, this.kernel.nowUs, this.kernel.turns)
      this.arrived(parcel.content)
    }
  }

  /** The direction is free again. */
  release(): void {
    const held = this.#held
    if (held.length === 0) return
    this.#held = []
    // RFC 6298: the retransmission timeout is at least 200 ms on Linux, and backs off; the next
    // retransmission comes at some point within these 200 ms.
    const waitUs = this.direction.chance.choose('retransmission', 200) * 1000
    for (const parcel of held) {
      assert(!parcel.through && !parcel.dropped, 'a partition holds only parcels under way')
      this.#travel(parcel, waitUs)
    }
  }

  get underway(): readonly T[] {
    return this.#underway.map((parcel) => parcel.content)
  }

  get holds(): boolean {
    return this.#held.length > 0
  }

  /** Drops all parcels in flight except the first `kept`; returns the dropped ones. */
  cut(kept: number): T[] {
    assert(kept >= 0 && kept <= this.#underway.length, 'a flow keeps no more than is under way')
    const dropped = this.#underway.splice(kept)
    for (const parcel of dropped) parcel.dropped = true
    this.#held = this.#held.filter((parcel) => !parcel.dropped)
    return dropped.map((parcel) => parcel.content)
  }

  /** The flow is over. */
  close(): void {
    this.cut(0)
    this.direction.pipes.delete(this)
  }
}
