/** One operation whose time is a row of the table. */
export interface Cost {
  readonly name: string
  /** How often it is done per measurement. */
  readonly times: number
  /** Prepares it; what it answers does the operation so many times, and starts in a macrotask. */
  prepare(): Repeat | Promise<Repeat>
  /**
   * The same done by what a user would use instead, and how many times as fast as that ours is
   * meant to be.
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
