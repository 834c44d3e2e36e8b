/** Evidence that a process is frozen: it does not answer a question. */
import { refuted, type Seen, seen } from './evidence.ts'

export class Standstill {
  #over = false
  #answered = false

  constructor(private readonly whose: string) {}

  /**
   * Begins when the process has been stopped. An answer to the question is noted; an error does not
   * count.
   */
  static of(whose: string, question: Promise<unknown>): Standstill {
    const standstill = new Standstill(whose)
    question.then(
      () => standstill.answer(),
      () => {},
    )
    return standstill
  }

  /** Notes an answer. An answer counts only before the end. */
  answer(): void {
    if (!this.#over) this.#answered = true
  }

  /** Must be called just before the process may resume. */
  end(): void {
    this.#over = true
  }

  get seen(): Seen {
    return this.#answered ? refuted(`${this.whose} answered although it was stopped`) : seen
  }
}
