/** Whether a process stands still: what it is asked meanwhile stays unanswered. */
import { refuted, type Seen, seen } from './evidence.ts'

export class Standstill {
  #over = false
  #answered = false

  constructor(private readonly whose: string) {}

  /**
   * It has been stopped: an answer to this question from now on is seen. One that fails is none.
   */
  static of(whose: string, question: Promise<unknown>): Standstill {
    const standstill = new Standstill(whose)
    question.then(
      () => standstill.answer(),
      () => {},
    )
    return standstill
  }

  /** An answer that comes before it may go on. */
  answer(): void {
    if (!this.#over) this.#answered = true
  }

  /** Just before it may go on. */
  end(): void {
    this.#over = true
  }

  get seen(): Seen {
    return this.#answered ? refuted(`${this.whose} answered although it was stopped`) : seen
  }
}
