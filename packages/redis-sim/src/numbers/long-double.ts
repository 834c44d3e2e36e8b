/**
 * The x87 `long double` (64-bit mantissa) of INCRBYFLOAT and HINCRBYFLOAT. Results are computed
 * exactly with big integers and rounded to nearest, ties to even, like by the processor. Subnormal
 * results (below 2^-16382) are not simulated; they are zero in 17 decimal places.
 */
export interface LongDouble {
  /** The value is mantissa × 2^exponent. The mantissa has the sign. */
  readonly mantissa: bigint
  readonly exponent: number
}

const mantissaBits = 64
const maxExponent = 16384
const zero: LongDouble = { mantissa: 0n, exponent: 0 }

/** The result of an overflow: infinity in C. */
export const infinite = 'infinite'

/**
 * Parses like `strtold` within the limits of Redis's string2ld. Undefined if Redis replies "not a
 * valid float".
 */
export function parseLongDouble(text: string): LongDouble | typeof infinite | undefined {
  if (text.length >= 5 * 1024) return undefined
  if (/^[+-]?(inf|infinity)$/i.test(text)) return infinite
  const hex = /^([+-]?)0x([0-9a-f]*)(?:\.([0-9a-f]*))?(?:p([+-]?\d+))?$/i.exec(text)
  if (hex) {
    const digits = hex[2]! + (hex[3] ?? '')
    if (digits === '') return undefined
    const magnitude = BigInt(`0x${digits}`)
    const exponent = Number(hex[4] ?? 0) - 4 * (hex[3] ?? '').length
    return finite(magnitude, 1n, exponent, hex[1] === '-')
  }
  const decimal = /^([+-]?)(\d*)(?:\.(\d*))?(?:e([+-]?\d+))?$/i.exec(text)
  if (!decimal) return undefined
  const digits = decimal[2]! + (decimal[3] ?? '')
  if (digits === '') return undefined
  const magnitude = BigInt(digits)
  if (magnitude === 0n) return zero
  const power = Number(decimal[4] ?? 0) - (decimal[3] ?? '').length
  if (power + digits.length > 6000 || power + digits.length < -6000) return undefined
  return power >= 0
    ? finite(magnitude * 10n ** BigInt(power), 1n, 0, decimal[1] === '-')
    : finite(magnitude, 10n ** BigInt(-power), 0, decimal[1] === '-')
}

export function addLongDouble(a: LongDouble, b: LongDouble): LongDouble | typeof infinite {
  const exponent = Math.min(a.exponent, b.exponent)
  const sum = (a.mantissa << BigInt(a.exponent - exponent)) + (b.mantissa << BigInt(b.exponent - exponent))
  return round(sum < 0n ? -sum : sum, 1n, exponent, sum < 0n)
}

/** Converts a finite double exactly. */
export function fromDouble(value: number): LongDouble {
  let mantissa = value
  let exponent = 0
  while (!Number.isInteger(mantissa)) {
    mantissa *= 2
    exponent--
  }
  return { mantissa: BigInt(mantissa), exponent }
}

/** Source: ld2string with LD_STR_HUMAN: `%.17Lf` without trailing zeros and point. */
export function formatLongDouble(value: LongDouble): string {
  const negative = value.mantissa < 0n
  const scaled = (negative ? -value.mantissa : value.mantissa) * 10n ** 17n
  const units =
    value.exponent >= 0 ? scaled << BigInt(value.exponent) : divideToEven(scaled, 1n << BigInt(-value.exponent))
  const digits = units.toString().padStart(18, '0')
  const fraction = digits.slice(-17).replace(/0+$/, '')
  const text = digits.slice(0, -17) + (fraction === '' ? '' : `.${fraction}`)
  return negative && text !== '0' ? `-${text}` : text
}

function finite(numerator: bigint, denominator: bigint, exponent: number, negative: boolean) {
  const value = round(numerator, denominator, exponent, negative)
  // Overflow and underflow are ERANGE in strtold, so Redis does not accept the text as a float.
  if (value === infinite) return undefined
  return value.mantissa === 0n && numerator !== 0n ? undefined : value
}

/** numerator / denominator × 2^exponent, rounded to the format. */
function round(
  numerator: bigint,
  denominator: bigint,
  exponent: number,
  negative: boolean,
): LongDouble | typeof infinite {
  if (numerator === 0n) return zero
  const shift = mantissaBits - (bitLength(numerator) - bitLength(denominator))
  let scaled = quotient(numerator, denominator, shift)
  let scale = exponent - shift
  if (bitLength(scaled) > mantissaBits) {
    scaled = quotient(numerator, denominator, shift - 1)
    scale++
  }
  if (bitLength(scaled) > mantissaBits) {
    scaled >>= 1n
    scale++
  }
  if (scale + mantissaBits > maxExponent) return infinite
  if (scale + mantissaBits < -16445) return zero
  return { mantissa: negative ? -scaled : scaled, exponent: scale }
}

function quotient(numerator: bigint, denominator: bigint, shift: number): bigint {
  return shift >= 0
    ? divideToEven(numerator << BigInt(shift), denominator)
    : divideToEven(numerator, denominator << BigInt(-shift))
}

function divideToEven(numerator: bigint, denominator: bigint): bigint {
  const whole = numerator / denominator
  const twice = (numerator - whole * denominator) * 2n
  if (twice < denominator || (twice === denominator && (whole & 1n) === 0n)) return whole
  return whole + 1n
}

function bitLength(value: bigint): number {
  const hex = value.toString(16)
  return (hex.length - 1) * 4 + (32 - Math.clz32(Number.parseInt(hex[0]!, 16)))
}
