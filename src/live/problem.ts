/** What keeps a live run from starting or going on, in one line: who is to blame, and what to do. */
export class LiveProblem extends Error {
  override readonly name = 'LiveProblem'
  constructor(
    readonly culprit: string,
    readonly remedy: string,
  ) {
    super(`${culprit}: ${remedy}`)
  }
}
