/** One way of testing the layer, as the bench uses it. */
export interface Contender {
  /** Plays `runs` runs one after another. Each must end as `problemOf` demands. */
  run(runs: number): Promise<Stretch>
  close(): Promise<void>
}

export interface Stretch {
  readonly deliveries: number
  /** Runs that a stall of the machine spoiled and that were repeated. Their time counts. */
  readonly repeated: number
}

/** The workload ended differently than it must, so its measurement would be meaningless. */
export class UnequalError extends Error {
  override readonly name = 'UnequalError'
}
