/** One operation whose time is a row of the table. */
export interface Cost {
  readonly name: string
  /** How often it is done per measurement. */
  readonly times: number
  /** Prepares it; what it answers does the operation so many times, and starts in a macrotask. */
  prepare(): (times: number) => void
}
