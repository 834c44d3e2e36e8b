/** The reason why a live run cannot start or go on, in one line: the culprit and the remedy. */
export class LiveProblem extends Error {
  override readonly name = 'LiveProblem'
  constructor(
    readonly culprit: string,
    readonly remedy: string,
  ) {
    super(`${culprit}: ${remedy}`)
  }

  /** Adds another problem that followed from this one. */
  and({ message }: LiveProblem): LiveProblem {
    return new LiveProblem(this.culprit, `${this.remedy}; ${message}`)
  }
}
