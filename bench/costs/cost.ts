/** An operation whose time is a row of the table. */
export interface Cost {
  readonly name: string
  /** How often it is done per measurement. */
  readonly times: number
  /** Prepares it. The returned function repeats the operation and starts in a macrotask. */
  prepare(): Repeat | Promise<Repeat>
  /**
   * The same operation by an alternative that users have. `aim`: how many times as fast ours should
   * be.
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
