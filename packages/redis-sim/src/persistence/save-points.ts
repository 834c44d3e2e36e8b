/**
 * Time of the next automatic save in milliseconds, for the save points `seconds changes …`; null if
 * no save point has enough changes. Source: serverCron of Redis 7.0.
 */
export function nextSaveMs(save: string, changes: number, lastSaveMs: number): number | null {
  const numbers = save.split(' ').filter(Boolean).map(Number)
  let next: number | null = null
  for (let at = 0; at + 1 < numbers.length; at += 2) {
    const [seconds, least] = [numbers[at]!, numbers[at + 1]!]
    // Real Redis saves if more whole seconds than configured have passed.
    const dueMs = (Math.floor(lastSaveMs / 1000) + seconds + 1) * 1000
    if (changes >= least && (next === null || dueMs < next)) next = dueMs
  }
  return next
}
