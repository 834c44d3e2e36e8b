/** Virtual microseconds as text: `12.4 ms`. */
export const msText = (us: number): string => `${(us / 1000).toFixed(1)} ms`

const units = [
  [3_600_000, 'h'],
  [60_000, 'min'],
  [1_000, 's'],
  [1, 'ms'],
] as const

/** A duration as a whole number of the largest possible unit. */
export function durationText(ms: number): string {
  const [size, unit] = units.find(([length]) => ms % length === 0) ?? units[3]
  return `${ms / size} ${unit}`
}

/** A rounded duration for people: `1.1 ms`, `40.97 s`, `3 min 5 s`, `24 h 43 min`. */
export function elapsedText(ms: number): string {
  if (ms < 1_000) return `${decimals(ms, 1)} ms`
  if (ms < 60_000) return `${decimals(ms / 1_000, 2)} s`
  const seconds = Math.round(ms / 1_000)
  if (seconds < 3_600) return twoUnits(seconds, 60, 'min', 's')
  return twoUnits(Math.round(seconds / 60), 60, 'h', 'min')
}

/**
 * A duration, exact to the millisecond if it is below a minute: `600 ms`, `1.998 s`, `2 min 5 s`.
 */
export const exactText = (ms: number): string =>
  ms >= 1_000 && ms < 60_000 ? `${decimals(ms / 1_000, 3)} s` : elapsedText(ms)

/** An estimate: `about 3 s`, `about 5 min 10 s`. */
export function aboutText(ms: number): string {
  const seconds = Math.ceil(ms / 1_000)
  return `about ${elapsedText((seconds < 20 ? seconds : Math.ceil(seconds / 10) * 10) * 1_000)}`
}

const decimals = (value: number, digits: number): string => String(Number(value.toFixed(digits)))

function twoUnits(value: number, of: number, large: string, small: string): string {
  const rest = value % of
  return `${Math.floor(value / of)} ${large}${rest === 0 ? '' : ` ${rest} ${small}`}`
}
