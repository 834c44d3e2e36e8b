import { SqlError } from '../sql-error.ts'
import { toLength } from './bits.ts'
import type { Decimal } from './decimal.ts'
import type { Type } from './types.ts'
import type { Value } from './value.ts'

/**
 * Adapts a value to the length or precision of a type. Explicit casts truncate texts; assignments
 * refuse texts that are too long.
 */
export function applyTypmod(value: Value, type: Type, typmod: number, written: boolean): Value {
  if (value === null || typmod < 0) return value
  if (type.element) return (value as readonly Value[]).map((item) => applyTypmod(item, type.element!, typmod, written))
  switch (type.name) {
    case 'varchar':
    case 'bpchar':
      return cut(value as string, type, typmod - 4, written)
    case 'bit':
    case 'varbit':
      return toLength(value as string, type, typmod, written)
    case 'numeric':
      return toPrecision(value as Decimal, (typmod - 4) >> 16, (typmod - 4) & 0x7ff)
    case 'timestamp':
    case 'timestamptz': {
      const unit = 10 ** (6 - typmod)
      return Number.isFinite(value) ? Math.round((value as number) / unit) * unit : value
    }
    default:
      return value
  }
}

function cut(text: string, type: Type, length: number, written: boolean): string {
  const characters = [...text]
  if (characters.length <= length) return type.name === 'bpchar' ? text + ' '.repeat(length - characters.length) : text
  const kept = characters.slice(0, length).join('')
  if (!written && characters.slice(length).some((one) => one !== ' ')) {
    throw new SqlError('22001', `value too long for type ${type.title}(${length})`)
  }
  return kept
}

function toPrecision(value: Decimal, precision: number, scale: number): Decimal {
  const rounded = value.rounded(scale)
  const size = rounded.units < 0n ? -rounded.units : rounded.units
  if (size >= 10n ** BigInt(precision)) {
    const whole = precision - scale
    throw new SqlError('22003', 'numeric field overflow', {
      detail: `A field with precision ${precision}, scale ${scale} must round to an absolute value less than ${whole === 0 ? '1' : `10^${whole}`}.`,
    })
  }
  return rounded
}
