/** One way of testing the layer, as the bench uses it. */
export interface Contender {
  /** Plays `runs` runs one after another. Each must end as `problemOf` demands. */
  run(runs: number): Promise<Stretch>
  close(): Promise<void>
}

export interface Stretch {
  readonly deliveries: number
  /**
   * The number of runs that a stall of the machine spoiled and that were repeated. Their time is
   * counted.
   */
  readonly repeated: number
}

/** The workload did not end as it must, so its measurement would be meaningless. */
export class UnequalError extends Error {
  override readonly name = 'UnequalError'
}
