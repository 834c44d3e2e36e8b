/** Whether a process stands still: what it is asked meanwhile stays unanswered. */
import { refuted, type Seen, seen } from './sighting.ts'

export class Standstill {
  #over = false
  #answered = false

  constructor(private readonly whose: string) {}

  /** An answer that comes before it may go on. */
  answer(): void {
    if (!this.#over) this.#answered = true
  }

  /** Just before it may go on. */
  end(): void {
    this.#over = true
  }

  get seen(): Seen {
    return this.#answered ? refuted(`${this.whose} answered while it was to stand still`) : seen
  }
}
