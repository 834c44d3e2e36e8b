/** Virtual microseconds as a person reads them: `12.4 ms`. */
export const msText = (us: number): string => `${(us / 1000).toFixed(1)} ms`

const units = [
  [3_600_000, 'h'],
  [60_000, 'min'],
  [1_000, 's'],
  [1, 'ms'],
] as const

/** In the largest unit that leaves no fraction. */
export function durationText(ms: number): string {
  const [size, unit] = units.find(([length]) => ms % length === 0) ?? units[3]
  return `${ms / size} ${unit}`
}
