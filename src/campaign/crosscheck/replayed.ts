/** What came of a run that a real server was asked to execute too. */

/** A command that the two answered differently. */
export interface CrosscheckDifference {
  readonly command: string
  readonly real: string
  readonly model: string
}

export interface Replayed {
  /** Replies that were compared, and how many of those by a rule instead of byte for byte. */
  readonly compared: number
  readonly byRule: number
  /** Commands by the reason why their replies were not compared. */
  readonly leftOut: ReadonlyMap<string, number>
  readonly difference: CrosscheckDifference | null
}
