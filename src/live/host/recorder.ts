import type { Fact, HistoryEvent, Trace } from '../../contract/api/history.ts'

/**
 * Writes the history of a live run with times of the harness's clock. Events after `ended` belong
 * to the cleanup and are dropped.
 */
export class LiveRecorder {
  #events: HistoryEvent[] = []
  #ended = false

  /** `noted`: called with every fact when it is recorded. */
  constructor(
    private readonly nowUs: () => number,
    private readonly noted: (fact: HistoryEvent) => void,
  ) {}

  get events(): readonly HistoryEvent[] {
    return this.#events
  }

  /** Records a fact, and returns the event. */
  fact(fact: Fact): HistoryEvent {
    const event = this.#write(fact)
    if (fact.type === 'ended') this.#ended = true
    this.noted(event)
    return event
  }

  trace(trace: Trace): void {
    this.#write(trace)
  }

  /**
   * Inserts events that became known late, each at its time, after its cause and before the end.
   */
  insert(known: readonly { readonly atUs: number; readonly fact: Fact; readonly after: HistoryEvent }[]): void {
    for (const { atUs, fact, after } of known) {
      const from = this.#events.findIndex((event) => event.seq === after.seq) + 1
      const later = this.#events.findIndex((event, at) => at >= from && event.atUs > atUs)
      const at = later === -1 ? this.#events.length : later
      const event = { ...fact, seq: -1, atUs: Math.max(atUs, after.atUs) } as HistoryEvent
      this.#events.splice(at, 0, event)
    }
    this.#events = this.#events.map((event, seq) => ({ ...event, seq }))
  }

  /** Removes events that turned out not to have happened. */
  retract(events: ReadonlySet<HistoryEvent>): void {
    this.#events = this.#events.filter((event) => !events.has(event)).map((event, seq) => ({ ...event, seq }))
  }

  #write(event: Fact | Trace): HistoryEvent {
    const written = { ...event, seq: this.#events.length, atUs: this.nowUs() } as HistoryEvent
    if (!this.#ended) this.#events.push(written)
    return written
  }
}
