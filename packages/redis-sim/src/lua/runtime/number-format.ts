/**
 * C's `%g`, `%e` and `%f` for doubles. The results are exact, although JavaScript's formatting does
 * not round ties to even. NaN prints as `-nan`, the result of 0/0 on x86, because JavaScript cannot
 * distinguish NaNs.
 */

/** `%.14g`, Lua's conversion of numbers to strings. */
export function numberToString(value: number): string {
  if ((value | 0) === value) return value === 0 && 1 / value < 0 ? '-0' : String(value)
  return formatG(value, 14)
}

export function nonFinite(value: number): string {
  if (value === Number.POSITIVE_INFINITY) return 'inf'
  return value === Number.NEGATIVE_INFINITY ? '-inf' : '-nan'
}

/**
 * Digits and exponent of |value|, rounded half to even to `precision` significant digits. The value
 * must be finite and not 0.
 */
function roundToDigits(value: number, precision: number): { digits: string; exponent: number } {
  const split = (text: string) => {
    const [mantissa, exponent] = text.split('e')
    return { digits: mantissa!.replace('.', ''), exponent: Number(exponent) }
  }
  const wide = Math.min(precision, 101)
  const rounded = split(value.toExponential(wide - 1))
  if (wide >= 60) return { digits: rounded.digits.padEnd(precision, '0'), exponent: rounded.exponent }
  const more = split(value.toExponential(99))
  const rest = more.digits.slice(wide)
  // The value is halfway between two results: JavaScript rounds up, C rounds to even.
  if (rest[0] === '5' && /^50*$/.test(rest) && (more.digits.charCodeAt(wide - 1) & 1) === 0) {
    return { digits: more.digits.slice(0, wide), exponent: more.exponent }
  }
  return rounded
}

const needsTieCheck = (value: number, precision: number) =>
  precision > 100 || /^\d\.?\d*5e/.test(value.toExponential(precision))

function digitsOf(value: number, precision: number): { digits: string; exponent: number } {
  if (needsTieCheck(value, precision)) return roundToDigits(value, precision)
  const [mantissa, exponent] = value.toExponential(precision - 1).split('e')
  return { digits: mantissa!.replace('.', ''), exponent: Number(exponent) }
}

const signOf = (value: number) => (value < 0 || (value === 0 && 1 / value < 0) ? '-' : '')
const exponentText = (exponent: number) =>
  `e${exponent < 0 ? '-' : '+'}${Math.abs(exponent) < 10 ? '0' : ''}${Math.abs(exponent)}`

/** `%.<precision>g`. `alternate` keeps trailing zeros (`#`). */
export function formatG(value: number, precision: number, alternate = false): string {
  if (!Number.isFinite(value)) return nonFinite(value)
  if (precision === 0) precision = 1
  const sign = signOf(value)
  const { digits, exponent } =
    value === 0 ? { digits: '0'.repeat(precision), exponent: 0 } : digitsOf(Math.abs(value), precision)
  const trim = (text: string) => (alternate ? text : text.replace(/0+$/, ''))
  const point = (fraction: string) => (fraction === '' && !alternate ? '' : `.${fraction}`)
  if (exponent < -4 || exponent >= precision) {
    return `${sign}${digits[0]}${point(trim(digits.slice(1)))}${exponentText(exponent)}`
  }
  if (exponent < 0) return `${sign}0${point(trim('0'.repeat(-exponent - 1) + digits))}`
  return `${sign}${digits.slice(0, exponent + 1)}${point(trim(digits.slice(exponent + 1)))}`
}

export function formatE(value: number, precision: number, alternate = false): string {
  if (!Number.isFinite(value)) return nonFinite(value)
  const { digits, exponent } =
    value === 0 ? { digits: '0'.repeat(precision + 1), exponent: 0 } : digitsOf(Math.abs(value), precision + 1)
  const fraction = precision > 0 ? `.${digits.slice(1)}` : alternate ? '.' : ''
  return `${signOf(value)}${digits[0]}${fraction}${exponentText(exponent)}`
}

export function formatF(value: number, precision: number, alternate = false): string {
  if (!Number.isFinite(value)) return nonFinite(value)
  const magnitude = Math.abs(value)
  const suffix = precision === 0 && alternate ? '.' : ''
  return signOf(value) + fixed(magnitude, precision) + suffix
}

function fixed(magnitude: number, precision: number): string {
  if (magnitude >= 1e21) {
    return BigInt(magnitude).toString() + (precision > 0 ? `.${'0'.repeat(precision)}` : '')
  }
  if (precision > 99) return magnitude.toFixed(100).slice(0, precision - 100 || undefined)
  const rounded = magnitude.toFixed(precision)
  const exact = magnitude.toFixed(100)
  const cut = exact.length - 100 + precision
  const rest = exact.slice(cut)
  if (!/^50*$/.test(rest)) return rounded
  const kept = precision === 0 ? exact.slice(0, cut - 1) : exact.slice(0, cut)
  return (kept.charCodeAt(kept.length - 1) & 1) === 0 ? kept : rounded
}
