/**
 * The work of built-in functions and of memory, in steps of Lua: what a script takes in time and
 * memory must be bounded by its step budget, whatever it does in a single step.
 */
const stepsAtOnce = 1000
/** What is made before the first execution is nobody's. */
let owed = Number.NEGATIVE_INFINITY
let spend: () => void = () => {}

/** `tick` spends a thousand steps of the running execution; it may throw to stop it. */
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

/** An execution owes nothing for what an earlier one did. */
export function forgetEffort(): void {
  owed = 0
}

/** A script that is being stopped pays for nothing more: what is left of it is to say so. */
export function pardon(): void {
  owed = Number.NEGATIVE_INFINITY
}

/** The steps that may take as much memory as a table does. */
export const stepsOfTable = 250
/** For each place of a table that is laid out again. */
export const stepsOfPlace = 100
/** For each byte of a new string, which may be kept: a budget of steps is 640 MB at the most. */
export const stepsOfByte = 1.6

/** A new string, paid for. */
export function paid(text: string): string {
  charge(text.length * stepsOfByte)
  return text
}
