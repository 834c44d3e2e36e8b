/** Why a fleet cannot be used, or a worker cannot work in it: for the user, in one line. */
export class FleetProblem extends Error {
  override readonly name = 'FleetProblem'
  constructor(
    readonly culprit: string,
    readonly remedy: string,
  ) {
    super(`${culprit}: ${remedy}`)
  }
}
