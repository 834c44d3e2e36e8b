/**
 * Limits the events of simulated worlds that a search may play. Events, unlike seconds, are the
 * same on every machine.
 */
export class EventBudget {
  #spent = 0

  constructor(private readonly events: number) {}

  get spent(): number {
    return this.#spent
  }

  get isSpent(): boolean {
    return this.#spent >= this.events
  }

  spend(events: number): void {
    this.#spent += events
  }
}
