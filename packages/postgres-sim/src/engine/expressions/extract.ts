import { SqlError, UnsupportedSql } from '../sql-error.ts'
import { Decimal } from '../values/decimal.ts'
import { type Interval, spanOf } from '../values/interval.ts'
import { day } from '../values/timestamps.ts'
import { types } from '../values/types.ts'
import type { Value } from '../values/value.ts'
import type { Analysis } from './analysis.ts'
import { coerce } from './coerce.ts'
import type { Expression } from './expression.ts'
import { strict } from './strict.ts'
import { notUnique } from './undecided.ts'

/** Compiles extract(), date_part() and date_trunc() for timestamps, dates and intervals. */
export function extract(analysis: Analysis, name: string, args: readonly Expression[], position: number): Expression {
  const [field, given] = args
  if (!field || !given || args.length > 2) throw new UnsupportedSql(`${name}() of ${args.length} arguments`)
  if (args.every((one) => one.type === types.unknown))
    throw notUnique(name === 'extract' ? 'pg_catalog.extract' : name, args, position)
  const source = given.type === types.unknown ? coerce(analysis, given, types.timestamptz, 'implicit')! : given
  const word = coerce(analysis, field, types.text, 'implicit')
  const taken = [types.timestamp, types.timestamptz, types.date, types.interval]
  if (!word || !taken.includes(source.type)) {
    throw new SqlError(
      '42883',
      `function ${name === 'extract' ? 'pg_catalog.extract' : name}(${field.type.title}, ${source.type.title}) does not exist`,
      {
        hint: 'No function matches the given name and argument types. You might need to add explicit type casts.',
        position,
      },
    )
  }
  analysis.callsMutable ||= source.type === types.timestamptz || (name === 'date_trunc' && source.type === types.date)
  const isInterval = source.type === types.interval
  const us = (value: Value) => (source.type === types.date ? (value as number) * day : (value as number))
  if (name === 'date_trunc') {
    if (isInterval) throw new UnsupportedSql('date_trunc() of an interval')
    const result = source.type === types.timestamp ? types.timestamp : types.timestamptz
    return strict(result, word, source, (unit, value) => truncated(unit as string, us(value), result.title))
  }
  const result = name === 'extract' ? types.numeric : types.float8
  return strict(result, word, source, (unit, value) => {
    const { title } = source.type
    const isDate = source.type === types.date && name === 'extract'
    if (!isInterval && !Number.isFinite(value)) {
      const part = partOfInfinite(unit as string, value as number, title, isDate)
      if (part !== null && result === types.numeric) throw new UnsupportedSql('infinity as a numeric')
      return part
    }
    const number = isInterval
      ? partOfInterval(unit as string, value as Interval, title)
      : partOf(unit as string, us(value), title, isDate)
    return result === types.numeric ? number : number.toNumber()
  })
}

/** Aliases of units: https://www.postgresql.org/docs/15/datatype-datetime.html */
const names: Readonly<Record<string, string>> = {
  ...{ years: 'year', y: 'year', yr: 'year', yrs: 'year', months: 'month', mon: 'month', mons: 'month' },
  ...{ weeks: 'week', w: 'week', days: 'day', d: 'day', hours: 'hour', h: 'hour', hr: 'hour', hrs: 'hour' },
  ...{ minutes: 'minute', m: 'minute', min: 'minute', mins: 'minute' },
  ...{ seconds: 'second', s: 'second', sec: 'second', secs: 'second' },
}

const unitOf = (given: string): string => names[given.toLowerCase()] ?? given.toLowerCase()

/** Cyclic units, which are null for infinite times. */
const returning = ['month', 'day', 'dow', 'isodow', 'doy', 'week', 'quarter']
const ofDay = ['hour', 'minute', 'second', 'milliseconds', 'microseconds']
const notSimulated = ['julian', 'timezone', 'timezone_hour', 'timezone_minute']
const growing = ['epoch', 'year', 'decade', 'century', 'millennium', 'isoyear']
const known = [...returning, ...ofDay, ...notSimulated, ...growing]

function unfit(given: string, title: string): SqlError {
  const unit = unitOf(given)
  if (known.includes(unit)) throw new UnsupportedSql(`the ${unit} of a ${title}`)
  // Rarely used aliases, such as `cent`, `mils` and `usec`, are not simulated.
  if (/^(us|ms|micro|milli|mil|c$|cent|dec|qtr|quarter|j$|jd|julian|timezone)/.test(unit))
    throw new UnsupportedSql(`the unit ${given}`)
  return new SqlError('22023', `unit "${given.toLowerCase()}" not recognized for type ${title}`)
}

function partOf(given: string, us: number, title: string, isDate: boolean): Decimal {
  const unit = unitOf(given)
  const days = Math.floor(us / day)
  const date = new Date(days * 86400e3)
  const within = us - days * day
  const year = date.getUTCFullYear()
  const whole = (n: number) => new Decimal(BigInt(n), 0)
  if (isDate && ofDay.includes(unit))
    throw new SqlError('0A000', `unit "${given.toLowerCase()}" not supported for type ${title}`)
  switch (unit) {
    case 'epoch':
      return isDate ? whole(us / 1e6) : new Decimal(BigInt(us), 6)
    case 'millennium':
      return whole(Math.ceil(year / 1000))
    case 'century':
      return whole(Math.ceil(year / 100))
    case 'decade':
      return whole(Math.floor(year / 10))
    case 'year':
      return whole(year)
    case 'isoyear':
      return whole(isoWeek(days).year)
    case 'quarter':
      return whole(Math.floor(date.getUTCMonth() / 3) + 1)
    case 'month':
      return whole(date.getUTCMonth() + 1)
    case 'week':
      return whole(isoWeek(days).week)
    case 'day':
      return whole(date.getUTCDate())
    case 'doy':
      return whole(days - Date.UTC(year, 0, 1) / 86400e3 + 1)
    case 'dow':
      return whole(date.getUTCDay())
    case 'isodow':
      return whole(date.getUTCDay() === 0 ? 7 : date.getUTCDay())
    case 'hour':
      return whole(Math.floor(within / 3600e6))
    case 'minute':
      return whole(Math.floor(within / 60e6) % 60)
    case 'second':
      return new Decimal(BigInt(within % 60e6), 6)
    case 'milliseconds':
      return new Decimal(BigInt(within % 60e6), 3)
    case 'microseconds':
      return whole(within % 60e6)
    default:
      throw unfit(given, title)
  }
}

/** The week and its year by ISO 8601: a week belongs to the year of its Thursday. */
function isoWeek(days: number): { year: number; week: number } {
  const thursday = days - ((new Date(days * 86400e3).getUTCDay() + 6) % 7) + 3
  const year = new Date(thursday * 86400e3).getUTCFullYear()
  return { year, week: Math.floor((thursday - Date.UTC(year, 0, 1) / 86400e3) / 7) + 1 }
}

/** The part of an infinite time: units that grow with time are infinite, cyclic units are null. */
function partOfInfinite(given: string, us: number, title: string, isDate: boolean): number | null {
  const unit = unitOf(given)
  if (isDate && ofDay.includes(unit))
    throw new SqlError('0A000', `unit "${given.toLowerCase()}" not supported for type ${title}`)
  if (growing.includes(unit)) return us
  if (returning.includes(unit) || ofDay.includes(unit)) return null
  throw unfit(given, title)
}

function partOfInterval(given: string, interval: Interval, title: string): Decimal {
  const unit = unitOf(given)
  const { months, days, us } = interval
  const whole = (n: number) => new Decimal(BigInt(Math.trunc(n)), 0)
  switch (unit) {
    case 'epoch': {
      // For the epoch of an interval, PostgreSQL counts 365.25 days per year.
      const years = Math.trunc(months / 12)
      return new Decimal(spanOf({ months: months % 12, days, us }) + BigInt(years) * 31_557_600_000_000n, 6)
    }
    case 'year':
      return whole(months / 12)
    case 'month':
      return whole(months % 12)
    case 'day':
      return whole(days)
    case 'hour':
      return whole(us / 3600e6)
    case 'minute':
      return whole((us / 60e6) % 60)
    case 'second':
      return new Decimal(BigInt(us % 60e6), 6)
    case 'milliseconds':
      return new Decimal(BigInt(us % 60e6), 3)
    case 'microseconds':
      return whole(us % 60e6)
    default:
      throw unfit(given, title)
  }
}

function truncated(unit: string, us: number, title: string): number {
  if (!Number.isFinite(us)) return us
  const sizes: Readonly<Record<string, number>> = {
    microseconds: 1,
    milliseconds: 1000,
    second: 1e6,
    minute: 60e6,
    hour: 3600e6,
    day,
  }
  const size = sizes[unitOf(unit)]
  if (size !== undefined) return Math.floor(us / size) * size
  const date = new Date(Math.floor(us / day) * 86400e3)
  switch (unitOf(unit)) {
    case 'week':
      return (Math.floor(us / day) - ((date.getUTCDay() + 6) % 7)) * day
    case 'month':
      return Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1) * 1000
    case 'year':
      return Date.UTC(date.getUTCFullYear(), 0, 1) * 1000
    default:
      throw unfit(unit, title)
  }
}
