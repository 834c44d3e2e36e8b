/** The error if a fleet cannot be used, or a worker cannot join it: one line for the user. */
export class FleetProblem extends Error {
  override readonly name = 'FleetProblem'
  constructor(
    readonly culprit: string,
    readonly remedy: string,
  ) {
    super(`${culprit}: ${remedy}`)
  }
}
