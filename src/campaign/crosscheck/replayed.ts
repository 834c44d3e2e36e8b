/** The result of replaying a run on a real server. */

/** A command with different replies. */
export interface CrosscheckDifference {
  readonly command: string
  readonly real: string
  readonly model: string
}

export interface Replayed {
  /**
   * The number of compared replies, and how many replies were compared by a rule instead of byte by
   * byte.
   */
  readonly compared: number
  readonly byRule: number
  /** The number of commands that were not compared, by reason. */
  readonly leftOut: ReadonlyMap<string, number>
  readonly difference: CrosscheckDifference | null
}
