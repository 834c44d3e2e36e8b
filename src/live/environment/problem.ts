/** The reason why a live run cannot start or continue, in one line: the culprit and the remedy. */
export class LiveProblem extends Error {
  override readonly name = 'LiveProblem'
  constructor(
    readonly culprit: string,
    readonly remedy: string,
  ) {
    super(`${culprit}: ${remedy}`)
  }

  /** Returns this problem together with another one that followed from it. */
  and({ message }: LiveProblem): LiveProblem {
    return new LiveProblem(this.culprit, `${this.remedy}; ${message}`)
  }
}
