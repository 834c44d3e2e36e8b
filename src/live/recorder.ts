import type { Fact, HistoryEvent, Trace } from '../contract/history.ts'

/** Writes the history of a live run, on the harness's clock. What comes after `ended` is the clearing away. */
export class LiveRecorder {
  readonly events: HistoryEvent[] = []
  #ended = false

  constructor(private readonly nowUs: () => number) {}

  fact(fact: Fact): void {
    this.#write(fact)
    if (fact.type === 'ended') this.#ended = true
  }

  trace(trace: Trace): void {
    this.#write(trace)
  }

  #write(event: Fact | Trace): void {
    if (!this.#ended) this.events.push({ ...event, seq: this.events.length, atUs: this.nowUs() } as HistoryEvent)
  }
}
