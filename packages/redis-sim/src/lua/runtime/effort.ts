/**
 * Charges the work and memory of built-in functions as Lua steps, so that the step budget bounds a
 * script's time and memory even if a single operation is expensive.
 */
const stepsAtOnce = 1000
/** Work before the first execution is not charged. */
let owed = Number.NEGATIVE_INFINITY
let spend: () => void = () => {}

/** `tick` spends a thousand steps of the running execution and may throw to stop it. */
export function chargeTo(tick: () => void): void {
  spend = tick
}

export function charge(steps: number): void {
  owed += steps
  while (owed >= stepsAtOnce) {
    owed -= stepsAtOnce
    spend()
  }
}

/**
 * Called at the start of an execution, so that the work of earlier executions is not charged to it.
 */
export function forgetEffort(): void {
  owed = 0
}

/** Stops charging a script that is being stopped, so that its error can be built. */
export function pardon(): void {
  owed = Number.NEGATIVE_INFINITY
}

/** Steps for a new table, in proportion to its memory. */
export const stepsOfTable = 250
/** Steps for each slot when a table is resized. */
export const stepsOfPlace = 100
/**
 * Steps for each byte of a new string, which the script may keep. The default step budget thus
 * allows at most 625 MB of strings.
 */
export const stepsOfByte = 1.6

/** Charges for a new string and returns it. */
export function paid(text: string): string {
  charge(text.length * stepsOfByte)
  return text
}
