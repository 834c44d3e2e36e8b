/** A message of a run, from its sending to its arrival. */
export interface Journey {
  /** The link and direction, as the stream of its latency is called, and its number there. */
  readonly stream: string
  /** The number of the choice of its latency in that stream, from 0. */
  readonly nth: number
  readonly sentUs: number
  /** The time of its arrival; null if it never arrived. */
  arrivedUs: number | null
  /** The message before it in the same flow, which it cannot overtake. */
  readonly behind: Journey | null
  /** The message whose arrival made a machine send it; null if time, a fault or a process did. */
  readonly because: Journey | null
  /** The number of messages that had arrived before it was sent. */
  readonly after: number
  /** What its arrival used: by name of the object, true if it changed the object. */
  readonly uses: Map<string, boolean>
}

/**
 * Records the messages of a run and what each of them used on arrival, so that an explorer can play
 * the run in another order. Recording changes nothing in the run.
 */
export class Journeys {
  /** Messages that arrived, in order of arrival. */
  readonly arrived: Journey[] = []
  /** All messages, in order of sending. */
  readonly sent: Journey[] = []
  /** Objects that were used later than in the turn of an arrival: their order is not known. */
  readonly usedLater = new Set<string>()
  /** The message that is arriving, and the turn of the kernel in which it arrives. */
  #current: { readonly journey: Journey; readonly turn: number } | null = null

  /** Called when a message leaves. `turn`: the number of the kernel's current event. */
  leaves(message: Omit<Journey, 'arrivedUs' | 'because' | 'after' | 'uses'>, turn: number): Journey {
    const because = this.at(turn)
    const after = this.arrived.length
    const journey = { ...message, arrivedUs: null, because, after, uses: new Map<string, boolean>() }
    this.sent.push(journey)
    return journey
  }

  arrives(journey: Journey, nowUs: number, turn: number): void {
    journey.arrivedUs = nowUs
    this.arrived.push(journey)
    this.#current = { journey, turn }
  }

  /** The message whose arrival is handled in that turn; null if the turn has another reason. */
  at(turn: number): Journey | null {
    return this.#current?.turn === turn ? this.#current.journey : null
  }

  /** Continues, in a later turn, work that the arrival of this message began. */
  resume(journey: Journey, turn: number): void {
    this.#current = { journey, turn }
  }

  /** The message that arrives in that turn uses the object. */
  uses(object: string, changes: boolean, turn: number): void {
    const uses = this.at(turn)?.uses
    if (uses === undefined) this.usedLater.add(object)
    else uses.set(object, changes || (uses.get(object) ?? false))
  }
}
