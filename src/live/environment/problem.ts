/**
 * What keeps a live run from starting or going on, in one line: who is to blame, and what to do.
 */
export class LiveProblem extends Error {
  override readonly name = 'LiveProblem'
  constructor(
    readonly culprit: string,
    readonly remedy: string,
  ) {
    super(`${culprit}: ${remedy}`)
  }

  /** With another one that came of it. */
  and({ message }: LiveProblem): LiveProblem {
    return new LiveProblem(this.culprit, `${this.remedy}; ${message}`)
  }
}
