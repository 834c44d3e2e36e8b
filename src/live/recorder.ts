import type { Fact, HistoryEvent, Trace } from '../contract/history.ts'

/** Writes the history of a live run, on the harness's clock. What comes after `ended` is the clearing away. */
export class LiveRecorder {
  #events: HistoryEvent[] = []
  #ended = false

  /** `noted` hears every fact as it is recorded. */
  constructor(
    private readonly nowUs: () => number,
    private readonly noted: (fact: HistoryEvent) => void,
  ) {}

  get events(): readonly HistoryEvent[] {
    return this.#events
  }

  /** Answers it as it is recorded. */
  fact(fact: Fact): HistoryEvent {
    const event = this.#write(fact)
    if (fact.type === 'ended') this.#ended = true
    this.noted(event)
    return event
  }

  trace(trace: Trace): void {
    this.#write(trace)
  }

  /** They turned out not to have happened. */
  retract(events: ReadonlySet<HistoryEvent>): void {
    this.#events = this.#events.filter((event) => !events.has(event)).map((event, seq) => ({ ...event, seq }))
  }

  #write(event: Fact | Trace): HistoryEvent {
    const written = { ...event, seq: this.#events.length, atUs: this.nowUs() } as HistoryEvent
    if (!this.#ended) this.#events.push(written)
    return written
  }
}
