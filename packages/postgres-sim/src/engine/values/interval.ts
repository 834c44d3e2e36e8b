import { SqlError } from '../sql-error.ts'

export interface Interval {
  readonly months: number
  readonly days: number
  readonly us: number
}

const units: Readonly<Record<string, readonly [part: 'months' | 'days' | 'us', size: number]>> = {
  microsecond: ['us', 1],
  us: ['us', 1],
  usec: ['us', 1],
  millisecond: ['us', 1000],
  ms: ['us', 1000],
  msec: ['us', 1000],
  second: ['us', 1e6],
  sec: ['us', 1e6],
  s: ['us', 1e6],
  minute: ['us', 60e6],
  min: ['us', 60e6],
  m: ['us', 60e6],
  hour: ['us', 3600e6],
  hr: ['us', 3600e6],
  h: ['us', 3600e6],
  day: ['days', 1],
  d: ['days', 1],
  week: ['days', 7],
  w: ['days', 7],
  month: ['months', 1],
  mon: ['months', 1],
  year: ['months', 12],
  yr: ['months', 12],
  y: ['months', 12],
  decade: ['months', 120],
  century: ['months', 1200],
}

function unitOf(word: string) {
  const lower = word.toLowerCase()
  return units[lower] ?? (lower.endsWith('s') ? units[lower.slice(0, -1)] : undefined)
}

/**
 * Parses an interval such as `1 day 02:03:04.5` or `30 seconds ago`. ISO 8601 durations are not
 * simulated.
 */
export function parseInterval(text: string): Interval {
  const bad = () => new SqlError('22007', `invalid input syntax for type interval: "${text}"`)
  let rest = text.trim()
  if (rest === '') throw bad()
  let months = 0
  let days = 0
  let us = 0
  let negate = false
  while (rest !== '') {
    const clock = /^([+-]?)(\d+):(\d{1,2})(?::(\d{1,2}(?:\.\d*)?))?\s*/.exec(rest)
    const amount = /^([+-]?\d*\.?\d+|[+-]?\d+\.?)\s*([a-zA-Z]+)?\s*/.exec(rest)
    if (clock) {
      const size = Number(clock[2]) * 3600e6 + Number(clock[3]) * 60e6 + Math.round(Number(clock[4] ?? 0) * 1e6)
      us += clock[1] === '-' ? -size : size
      rest = rest.slice(clock[0].length)
    } else if (amount) {
      const unit = amount[2] === undefined ? (['us', 1e6] as const) : unitOf(amount[2])
      if (!unit) throw bad()
      const value = Number(amount[1])
      const whole = Math.trunc(value)
      const part = value - whole
      if (unit[0] === 'us') us += Math.round(value * unit[1])
      else if (unit[0] === 'days') {
        const all = value * unit[1]
        days += Math.trunc(all)
        us += Math.round((all - Math.trunc(all)) * 86400e6)
      } else {
        months += whole * unit[1]
        const over = part * unit[1]
        months += Math.trunc(over)
        days += Math.trunc((over - Math.trunc(over)) * 30)
      }
      rest = rest.slice(amount[0].length)
    } else if (/^ago$/i.test(rest)) {
      negate = true
      rest = ''
    } else throw bad()
  }
  return negate ? { months: -months, days: -days, us: -us } : { months, days, us }
}

export function formatInterval({ months, days, us }: Interval): string {
  const words: string[] = []
  const say = (value: number, unit: string) => {
    if (value !== 0) words.push(`${plus(value)}${value} ${unit}${value === 1 ? '' : 's'}`)
  }
  let negativeBefore = false
  const plus = (value: number) => {
    const sign = negativeBefore && value > 0 ? '+' : ''
    negativeBefore = value < 0
    return sign
  }
  say(Math.trunc(months / 12), 'year')
  say(months % 12, 'mon')
  say(days, 'day')
  if (us !== 0 || words.length === 0) {
    const sign = us < 0 ? '-' : negativeBefore ? '+' : ''
    words.push(sign + clockText(Math.abs(us)))
  }
  return words.join(' ')
}

/** Formats a non-negative duration as `HH:MM:SS[.ffffff]`. */
export function clockText(us: number): string {
  const seconds = Math.floor(us / 1e6)
  const two = (value: number) => String(value).padStart(2, '0')
  const fraction = us % 1e6
  const behind = fraction === 0 ? '' : `.${String(fraction).padStart(6, '0').replace(/0+$/, '')}`
  return `${two(Math.floor(seconds / 3600))}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}${behind}`
}

/**
 * The duration in microseconds. A month has 30 days and a day has 24 hours, as in PostgreSQL's
 * comparison of intervals.
 */
export function spanOf({ months, days, us }: Interval): bigint {
  return BigInt(months * 30 + days) * 86_400_000_000n + BigInt(us)
}

export function addIntervals(left: Interval, right: Interval, sign: 1 | -1): Interval {
  return {
    months: left.months + sign * right.months,
    days: left.days + sign * right.days,
    us: left.us + sign * right.us,
  }
}

export function timesInterval({ months, days, us }: Interval, factor: number): Interval {
  const allMonths = months * factor
  const wholeMonths = Math.trunc(allMonths)
  const allDays = days * factor + (allMonths - wholeMonths) * 30
  const wholeDays = Math.trunc(Number(allDays.toFixed(9)))
  const over = Number((allDays - wholeDays).toFixed(12))
  return { months: wholeMonths, days: wholeDays, us: Math.round(us * factor + over * 86400e6) }
}
