/**
 * Random numbers of a process in a scheduled run. Clients choose nodes and delays by `Math.random`,
 * which returns the same numbers as in the schedule. Unique keys and names (`node:crypto`) stay
 * random.
 */
export function drawAsReported(numbers: readonly number[]): void {
  const draw = Math.random
  let at = 0
  Math.random = () => numbers[at++] ?? draw()
}
