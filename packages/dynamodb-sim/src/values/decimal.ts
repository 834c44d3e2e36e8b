/** The number `digits` × 10^`exponent`. `digits` has no trailing zeros; 0 is 0 × 10^0. */
export interface Decimal {
  readonly digits: bigint
  readonly exponent: number
}

const grammar = /^(-?)(\d+(?:\.\d*)?|\.\d+)(?:e([-+]?\d+))?$/i

/** @returns null if the text is not a number */
export function parseDecimal(text: string): Decimal | null {
  const match = grammar.exec(text)
  if (match === null) return null
  const [, sign, mantissa, exponent] = match
  const [whole, fraction = ''] = mantissa!.split('.')
  const digits = BigInt(`${whole}${fraction}`)
  return normal(sign === '-' ? -digits : digits, Number(exponent ?? 0) - fraction.length)
}

function normal(digits: bigint, exponent: number): Decimal {
  if (digits === 0n) return { digits: 0n, exponent: 0 }
  const text = digits.toString()
  const zeros = text.length - text.replace(/0+$/, '').length
  return zeros === 0 ? { digits, exponent } : { digits: BigInt(text.slice(0, -zeros)), exponent: exponent + zeros }
}

/** The significant digits, without a sign. */
export function significant({ digits }: Decimal): string {
  return (digits < 0n ? -digits : digits).toString()
}

/** The power of ten of the first significant digit. */
export function magnitude(decimal: Decimal): number {
  return decimal.digits === 0n ? 0 : decimal.exponent + significant(decimal).length - 1
}

/** Prints the number without an exponent, as the service does. */
export function decimalText(decimal: Decimal): string {
  const text = significant(decimal)
  const sign = decimal.digits < 0n ? '-' : ''
  if (decimal.exponent >= 0) return sign + text + '0'.repeat(decimal.exponent)
  const point = text.length + decimal.exponent
  if (point > 0) return `${sign}${text.slice(0, point)}.${text.slice(point)}`
  return `${sign}0.${'0'.repeat(-point)}${text}`
}

export function sum(left: Decimal, right: Decimal): Decimal {
  const exponent = Math.min(left.exponent, right.exponent)
  return normal(scaled(left, exponent) + scaled(right, exponent), exponent)
}

export function negative({ digits, exponent }: Decimal): Decimal {
  return { digits: -digits, exponent }
}

export function compareDecimals(left: Decimal, right: Decimal): number {
  const { digits } = sum(left, negative(right))
  return digits < 0n ? -1 : digits > 0n ? 1 : 0
}

function scaled({ digits, exponent }: Decimal, to: number): bigint {
  return digits * 10n ** BigInt(exponent - to)
}
