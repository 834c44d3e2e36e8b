import { SqlError } from '../sql-error.ts'

/** A value of type `numeric`: units / 10^scale. NaN and infinities are not simulated. */
export class Decimal {
  readonly units: bigint
  readonly scale: number

  constructor(units: bigint, scale: number) {
    this.units = units
    this.scale = scale
  }

  static parse(text: string): Decimal | null {
    const found = /^\s*([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d+))?\s*$/.exec(text)
    if (!found || (found[2] === '' && (found[3] ?? '') === '')) return null
    const fraction = found[3] ?? ''
    const exponent = Number(found[4] ?? 0)
    let units = BigInt(found[2]! + fraction)
    let scale = fraction.length - exponent
    if (scale < 0) {
      units *= 10n ** BigInt(-scale)
      scale = 0
    }
    return new Decimal(found[1] === '-' ? -units : units, scale)
  }

  static of(value: number | bigint): Decimal {
    if (typeof value === 'bigint') return new Decimal(value, 0)
    // A cast from float8 to numeric keeps 15 significant digits.
    const parsed = Decimal.parse(
      Number.isInteger(value) && Math.abs(value) < 1e15 ? String(value) : value.toPrecision(15),
    )
    if (!parsed) throw new SqlError('0A000', 'cannot convert NaN to numeric')
    return Number.isInteger(value) ? parsed : parsed.trimmed()
  }

  /** Removes trailing zeros. */
  trimmed(): Decimal {
    let { units, scale } = this
    while (scale > 0 && units % 10n === 0n) {
      units /= 10n
      scale--
    }
    return new Decimal(units, scale)
  }

  /** Rounds half away from zero, like PostgreSQL. */
  rounded(scale: number): Decimal {
    if (scale >= this.scale) return new Decimal(this.units * 10n ** BigInt(scale - this.scale), scale)
    const divisor = 10n ** BigInt(this.scale - scale)
    const half = divisor / 2n
    const units = this.units < 0n ? -((-this.units + half) / divisor) : (this.units + half) / divisor
    return scale < 0 ? new Decimal(units * 10n ** BigInt(-scale), 0) : new Decimal(units, scale)
  }

  truncated(): bigint {
    return this.units / 10n ** BigInt(this.scale)
  }

  plus(other: Decimal): Decimal {
    const scale = Math.max(this.scale, other.scale)
    return new Decimal(this.rounded(scale).units + other.rounded(scale).units, scale)
  }

  minus(other: Decimal): Decimal {
    return this.plus(new Decimal(-other.units, other.scale))
  }

  times(other: Decimal): Decimal {
    return new Decimal(this.units * other.units, this.scale + other.scale)
  }

  over(other: Decimal): Decimal {
    if (other.units === 0n) throw new SqlError('22012', 'division by zero')
    const scale = quotientScale(this, other)
    const digits = 10n ** BigInt(scale + 1 + other.scale)
    const quotient = (this.units * digits) / (other.units * 10n ** BigInt(this.scale))
    return new Decimal(quotient, scale + 1).rounded(scale)
  }

  modulo(other: Decimal): Decimal {
    if (other.units === 0n) throw new SqlError('22012', 'division by zero')
    const scale = Math.max(this.scale, other.scale)
    return new Decimal(this.rounded(scale).units % other.rounded(scale).units, scale)
  }

  compare(other: Decimal): number {
    const scale = Math.max(this.scale, other.scale)
    const left = this.rounded(scale).units
    const right = other.rounded(scale).units
    return left < right ? -1 : left > right ? 1 : 0
  }

  toNumber(): number {
    return Number(this.toString())
  }

  toString(): string {
    const sign = this.units < 0n ? '-' : ''
    const digits = (this.units < 0n ? -this.units : this.units).toString().padStart(this.scale + 1, '0')
    if (this.scale === 0) return sign + digits
    return `${sign}${digits.slice(0, -this.scale)}.${digits.slice(-this.scale)}`
  }
}

/**
 * The number of fraction digits of a quotient, which has at least 16 significant digits. It is
 * computed from digits of base 10000, as in PostgreSQL.
 */
function quotientScale(left: Decimal, right: Decimal): number {
  const [leftWeight, leftFirst] = leadingDigit(left)
  const [rightWeight, rightFirst] = leadingDigit(right)
  let weight = leftWeight - rightWeight
  if (leftFirst <= rightFirst) weight--
  return Math.min(1000, Math.max(16 - weight * 4, left.scale, right.scale))
}

function leadingDigit(value: Decimal): readonly [weight: number, first: number] {
  if (value.units === 0n) return [0, 0]
  const digits = (value.units < 0n ? -value.units : value.units).toString()
  // The position of the leading decimal digit relative to the decimal point.
  const power = digits.length - value.scale - 1
  const weight = Math.floor(power / 4)
  const take = power - weight * 4 + 1
  return [weight, Number(digits.slice(0, take).padEnd(take, '0'))]
}
