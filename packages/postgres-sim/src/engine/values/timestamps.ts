import { SqlError, UnsupportedSql } from '../sql-error.ts'
import { clockText, type Interval } from './interval.ts'

/**
 * Timestamps are microseconds since 1970-01-01; `infinity` is Infinity. The session's time zone is
 * always UTC. Years range from 1 to 9999.
 */
export const day = 86400e6

const stamp =
  /^\s*(\d{4,})-(\d{1,2})-(\d{1,2})(?:[T ]+(\d{1,2}):(\d{2})(?::(\d{2}(?:\.\d*)?))?)?\s*(Z|UTC|GMT|[+-]\d{1,2}(?::?\d{2})?)?\s*$/i

export function parseTimestamp(text: string, typeName: string, nowUs: number, zoned: boolean): number {
  const word = text.trim().toLowerCase()
  if (word === 'infinity') return Infinity
  if (word === '-infinity') return -Infinity
  if (word === 'epoch') return 0
  if (word === 'now') return nowUs
  if (['today', 'tomorrow', 'yesterday'].includes(word)) throw new UnsupportedSql(`the time '${word}'`)
  if (word === 'today') return Math.floor(nowUs / day) * day
  const found = stamp.exec(text)
  if (!found) {
    // The text may be in another format that PostgreSQL accepts and the simulator does not.
    if (/\d.*[-/: ].*\d/.test(text)) throw new UnsupportedSql(`a ${typeName} written as "${text}"`)
    throw new SqlError('22007', `invalid input syntax for type ${typeName}: "${text}"`)
  }
  const [year, month, dayOfMonth, hour, minute] = found.slice(1, 6).map((part) => Number(part ?? 0)) as [
    number,
    number,
    number,
    number,
    number,
  ]
  const second = Number(found[6] ?? 0)
  const outside = (hint?: string) =>
    new SqlError('22008', `date/time field value out of range: "${text}"`, hint === undefined ? {} : { hint })
  if (month < 1 || month > 12 || dayOfMonth < 1 || dayOfMonth > 31) {
    throw outside('Perhaps you need a different "datestyle" setting.')
  }
  if (dayOfMonth > daysIn(year, month)) throw outside()
  if (hour > 24 || minute > 59 || second > 60) throw outside()
  const us = Date.UTC(year, month - 1, dayOfMonth, hour, minute) * 1000 + Math.round(second * 1e6)
  return zoned ? us - offsetOf(found[7]) : us
}

function offsetOf(zone: string | undefined): number {
  const found = /^([+-])(\d{1,2}):?(\d{2})?$/.exec(zone ?? '')
  if (!found) return 0
  const size = Number(found[2]) * 3600e6 + Number(found[3] ?? 0) * 60e6
  return found[1] === '-' ? -size : size
}

function daysIn(year: number, month: number): number {
  return new Date(Date.UTC(year, month, 0)).getUTCDate()
}

export function formatTimestamp(us: number, zoned: boolean): string {
  if (us === Infinity) return 'infinity'
  if (us === -Infinity) return '-infinity'
  const days = Math.floor(us / day)
  return `${formatDate(days)} ${clockText(us - days * day)}${zoned ? '+00' : ''}`
}

/** Formats a date, given as days since 1970-01-01. */
export function formatDate(days: number): string {
  if (days === Infinity) return 'infinity'
  if (days === -Infinity) return '-infinity'
  const date = new Date(days * 86400e3)
  const two = (value: number) => String(value).padStart(2, '0')
  return `${String(date.getUTCFullYear()).padStart(4, '0')}-${two(date.getUTCMonth() + 1)}-${two(date.getUTCDate())}`
}

/**
 * Adds the months first (the result is at most the last day of the month), then the days, then the
 * time.
 */
export function addInterval(us: number, { months, days, us: span }: Interval, sign: 1 | -1): number {
  if (!Number.isFinite(us)) return us
  let result = us
  if (months !== 0) {
    const whole = Math.floor(us / day)
    const date = new Date(whole * 86400e3)
    const count = date.getUTCFullYear() * 12 + date.getUTCMonth() + sign * months
    const year = Math.floor(count / 12)
    const month = count - year * 12
    const dayOfMonth = Math.min(date.getUTCDate(), daysIn(year, month + 1))
    result = Date.UTC(year, month, dayOfMonth) * 1000 + (us - whole * day)
  }
  return result + sign * (days * day + span)
}

/** The difference of two timestamps in days and time. */
export function difference(left: number, right: number): Interval {
  if (!Number.isFinite(left) || !Number.isFinite(right))
    throw new SqlError('22008', 'cannot subtract infinite timestamps')
  const span = left - right
  const days = Math.trunc(span / day)
  return { months: 0, days, us: span - days * day }
}
