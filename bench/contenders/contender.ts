/** One way of testing the layer, as the bench measures it. */
export interface Contender {
  /** Plays `runs` runs one after another. Each must end as `problemOf` demands. */
  run(runs: number): Promise<Stretch>
  close(): Promise<void>
}

export interface Stretch {
  readonly deliveries: number
  /**
   * The number of runs that were repeated because a stall of the machine spoiled them. The time of
   * spoiled runs is counted.
   */
  readonly repeated: number
}

/** The workload did not end as `problemOf` demands, so its measurement would be meaningless. */
export class UnequalError extends Error {
  override readonly name = 'UnequalError'
}
