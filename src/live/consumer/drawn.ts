/**
 * Chance of a process whose run follows a schedule: a client draws which node it asks, or how long
 * it waits, and draws here what it drew there. Keys and names that are to be nobody else's
 * (`node:crypto`) are drawn in earnest.
 */
export function drawAsReported(numbers: readonly number[]): void {
  const draw = Math.random
  let at = 0
  Math.random = () => numbers[at++] ?? draw()
}
