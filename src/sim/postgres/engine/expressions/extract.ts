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

/** extract(), date_part() and date_trunc(), of timestamps, dates and intervals. */
export function extract(analysis: Analysis, name: string, args: readonly Expression[], position: number): Expression {
  const [field, given] = args
  if (!field || !given || args.length > 2) throw new UnsupportedSql(`${name}() of ${args.length} arguments`)
  const source = given.type === types.unknown ? coerce(analysis, given, types.timestamptz, 'implicit')! : given
  const word = coerce(analysis, field, types.text, 'implicit')
  const known = [types.timestamp, types.timestamptz, types.date, types.interval]
  if (!word || !known.includes(source.type)) {
    throw new SqlError(
      '42883',
      `function ${name === 'extract' ? 'pg_catalog.extract' : name}(${field.type.title}, ${source.type.title}) does not exist`,
      {
        hint: 'No function matches the given name and argument types. You might need to add explicit type casts.',
        position,
      },
    )
  }
  const isInterval = source.type === types.interval
  const us = (value: Value) => (source.type === types.date ? (value as number) * day : (value as number))
  if (name === 'date_trunc') {
    if (isInterval) throw new UnsupportedSql('date_trunc() of an interval')
    const result = source.type === types.timestamp ? types.timestamp : types.timestamptz
    return strict(result, word, source, (unit, value) => truncated(unit as string, us(value), result.title))
  }
  const result = name === 'extract' ? types.numeric : types.float8
  return strict(result, word, source, (unit, value) => {
    const title = source.type.title
    const number = isInterval
      ? partOfInterval(unit as string, value as Interval, title)
      : partOf(unit as string, us(value), title, source.type === types.date)
    return result === types.numeric ? number : number.toNumber()
  })
}

const unknownUnit = (unit: string, title: string) =>
  new SqlError('22023', `unit "${unit}" not recognized for type ${title}`)

function partOf(given: string, us: number, title: string, isDate: boolean): Decimal {
  const unit = given.toLowerCase()
  const date = new Date(Math.floor(us / day) * 86400e3)
  const within = us - Math.floor(us / day) * day
  const whole = (n: number) => new Decimal(BigInt(n), 0)
  switch (unit) {
    case 'epoch':
      return isDate ? whole(us / 1e6) : new Decimal(BigInt(us), 6)
    case 'year':
      return whole(date.getUTCFullYear())
    case 'month':
      return whole(date.getUTCMonth() + 1)
    case 'day':
      return whole(date.getUTCDate())
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
      throw unknownUnit(given, title)
  }
}

function partOfInterval(given: string, interval: Interval, title: string): Decimal {
  const unit = given.toLowerCase()
  const { months, days, us } = interval
  const whole = (n: number) => new Decimal(BigInt(Math.trunc(n)), 0)
  switch (unit) {
    case 'epoch': {
      // A year has 365.25 days here.
      const years = Math.trunc(months / 12)
      return new Decimal(BigInt(spanOf({ months: months % 12, days, us }) + years * 31557600 * 1e6), 6)
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
      throw unknownUnit(given, title)
  }
}

function truncated(unit: string, us: number, title: string): number {
  const sizes: Readonly<Record<string, number>> = {
    microseconds: 1,
    milliseconds: 1000,
    second: 1e6,
    minute: 60e6,
    hour: 3600e6,
    day,
  }
  const size = sizes[unit.toLowerCase()]
  if (size !== undefined) return Math.floor(us / size) * size
  const date = new Date(Math.floor(us / day) * 86400e3)
  switch (unit.toLowerCase()) {
    case 'week':
      return (Math.floor(us / day) - ((date.getUTCDay() + 6) % 7)) * day
    case 'month':
      return Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1) * 1000
    case 'year':
      return Date.UTC(date.getUTCFullYear(), 0, 1) * 1000
    default:
      throw unknownUnit(unit, title)
  }
}
