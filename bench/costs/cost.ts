/** An operation whose time is a row of the table. */
export interface Cost {
  readonly name: string
  /** The number of repetitions in one measurement. */
  readonly times: number
  /**
   * Prepares the operation. Returns a function that repeats the operation, which must start in a
   * macrotask.
   */
  prepare(): Repeat | Promise<Repeat>
  /**
   * The same operation by an alternative that users have. `aim`: how many times as fast as the
   * alternative our operation should be.
   */
  readonly peer?: PeerCost | undefined
}

export interface PeerCost {
  readonly name: string
  readonly times: number
  readonly aim?: number
  prepare(): Promise<Repeat>
}

export type Repeat = (times: number) => void | Promise<void>
