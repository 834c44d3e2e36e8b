import { type Type, types } from '../values/types.ts'

const moments = [types.date, types.time, types.timestamp, types.timestamptz]
/**
 * Types whose input depends on DateStyle, IntervalStyle, the time zone, the catalog or their
 * elements.
 */
const readBySettings = [...moments, types.interval, types.regclass, types.record]
const writtenBySettings = readBySettings.filter((one) => one !== types.time)

/**
 * True if the result of the cast depends on settings: pg_proc of PostgreSQL 15 lists its function
 * as STABLE instead of IMMUTABLE.
 */
export function isStableCast(from: Type, to: Type): boolean {
  if (from.element && to.element) return isStableCast(from.element, to.element)
  if (from.category === 'S') return to.element !== undefined || readBySettings.includes(to)
  if (to.category === 'S') return from.element !== undefined || writtenBySettings.includes(from)
  return from !== to && moments.includes(from) && moments.includes(to) && [from, to].includes(types.timestamptz)
}
