import { SqlError } from '../sql-error.ts'
import { addIntervals, type Interval, timesInterval } from '../values/interval.ts'
import { addInterval, day, difference } from '../values/timestamps.ts'
import { type Type, types } from '../values/types.ts'
import type { Value } from '../values/value.ts'
import type { Analysis } from './analysis.ts'
import { coerce } from './coerce.ts'
import type { Expression } from './expression.ts'
import { strict } from './strict.ts'

type Apply = (a: Value, b: Value) => Value
type Rule = readonly [operator: string, left: Type, right: Type, result: Type, apply: Apply]

const shift =
  (sign: 1 | -1): Apply =>
  (a, b) =>
    addInterval(a as number, b as Interval, sign)
const shiftDate =
  (sign: 1 | -1): Apply =>
  (a, b) =>
    addInterval((a as number) * day, b as Interval, sign)
const times: Apply = (a, b) => {
  if (Number.isFinite(b)) return timesInterval(a as Interval, b as number)
  throw new SqlError('22008', 'interval out of range')
}
const over: Apply = (a, b) => {
  if (b === 0) throw new SqlError('22012', 'division by zero')
  if (Number.isNaN(b)) throw new SqlError('22008', 'interval out of range')
  return times(a, 1 / (b as number))
}

/** Operators on times: https://www.postgresql.org/docs/15/functions-datetime.html, table 9.32 */
const rules: readonly Rule[] = [
  ['+', types.timestamptz, types.interval, types.timestamptz, shift(1)],
  ['-', types.timestamptz, types.interval, types.timestamptz, shift(-1)],
  ['+', types.timestamp, types.interval, types.timestamp, shift(1)],
  ['-', types.timestamp, types.interval, types.timestamp, shift(-1)],
  ['+', types.date, types.interval, types.timestamp, shiftDate(1)],
  ['-', types.date, types.interval, types.timestamp, shiftDate(-1)],
  ['+', types.interval, types.timestamptz, types.timestamptz, (a, b) => shift(1)(b, a)],
  ['+', types.interval, types.timestamp, types.timestamp, (a, b) => shift(1)(b, a)],
  ['+', types.interval, types.date, types.timestamp, (a, b) => shiftDate(1)(b, a)],
  ['-', types.timestamptz, types.timestamptz, types.interval, (a, b) => difference(a as number, b as number)],
  ['-', types.timestamp, types.timestamp, types.interval, (a, b) => difference(a as number, b as number)],
  ['-', types.date, types.date, types.int4, (a, b) => daysBetween(a as number, b as number)],
  ['+', types.date, types.int4, types.date, (a, b) => (a as number) + (b as number)],
  ['-', types.date, types.int4, types.date, (a, b) => (a as number) - (b as number)],
  ['+', types.interval, types.interval, types.interval, (a, b) => addIntervals(a as Interval, b as Interval, 1)],
  ['-', types.interval, types.interval, types.interval, (a, b) => addIntervals(a as Interval, b as Interval, -1)],
  ['*', types.interval, types.float8, types.interval, times],
  ['*', types.float8, types.interval, types.interval, (a, b) => times(b, a)],
  ['/', types.interval, types.float8, types.interval, over],
]

function daysBetween(a: number, b: number): number {
  if (Number.isFinite(a) && Number.isFinite(b)) return a - b
  throw new SqlError('22008', 'cannot subtract infinite dates')
}

export function timeArithmetic(
  analysis: Analysis,
  name: string,
  left: Expression,
  right: Expression,
): Expression | null {
  const isTime = ({ type }: Expression) => type.category === 'D' || type.category === 'T'
  if (!isTime(left) && !isTime(right)) return null
  const rule = exact(name, left, right) ?? withOpen(name, left, right) ?? widened(name, left, right)
  if (!rule) return null
  const given = [rule[1], rule[2]]
  // The length of a day depends on the time zone, so this operator is not IMMUTABLE.
  analysis.callsMutable ||= given.includes(types.timestamptz) && given.includes(types.interval)
  const a = coerce(analysis, left, rule[1], 'implicit')
  const b = coerce(analysis, right, rule[2], 'implicit')
  return a && b ? strict(rule[3], a, b, rule[4]) : null
}

function exact(name: string, left: Expression, right: Expression): Rule | undefined {
  return rules.find(([operator, a, b]) => operator === name && a === left.type && b === right.type)
}

/**
 * The rule for an untyped operand. It takes the type of the other operand if an operator accepts
 * that type, otherwise the preferred type.
 */
function withOpen(name: string, left: Expression, right: Expression): Rule | undefined {
  if (left.type !== types.unknown && right.type !== types.unknown) return undefined
  const known = left.type === types.unknown ? right.type : left.type
  const same = rules.find(([operator, a, b]) => operator === name && a === known && b === known)
  const fits = ([operator, a, b]: Rule) =>
    operator === name && (left.type === types.unknown ? b === known : a === known)
  return same ?? rules.filter(fits).find((rule) => rule[1].preferred && rule[2].preferred) ?? rules.find(fits)
}

function widened(name: string, left: Expression, right: Expression): Rule | undefined {
  const fits = (given: Type, wanted: Type) =>
    given === wanted ||
    (wanted === types.float8 && given.category === 'N') ||
    (wanted === types.timestamptz && given === types.timestamp) ||
    (wanted.category === 'D' && given === types.date && wanted !== types.time) ||
    (wanted === types.int4 && given === types.int2)
  const candidates = rules.filter(([operator, a, b]) => operator === name && fits(left.type, a) && fits(right.type, b))
  return candidates.find((rule) => rule[1] === types.timestamptz || rule[2] === types.timestamptz) ?? candidates[0]
}
