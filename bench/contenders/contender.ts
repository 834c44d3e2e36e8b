/** What one way of testing the layer is to the bench. */
export interface Contender {
  /** Goes through `runs` runs one after another, each of which must end as `problemOf` demands. */
  run(runs: number): Promise<Stretch>
  close(): Promise<void>
}

export interface Stretch {
  readonly deliveries: number
  /** Runs that a stall of the machine spoiled and that were done again; their time counts. */
  readonly repeated: number
}

/** The workload ended otherwise than it must: a measurement of it would mean nothing. */
export class UnequalError extends Error {
  override readonly name = 'UnequalError'
}
