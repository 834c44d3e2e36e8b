/** Parses and formats doubles like Redis 7.0: scores, ranges. */

/**
 * Parses a double; undefined if the text is invalid. Source: string2d of Redis 7.0 (strtod of the
 * whole text; no leading blank, NaN or overflow).
 */
export function parseDouble(text: string): number | undefined {
  if (/^[+-]?(inf|infinity)$/i.test(text)) return text.charCodeAt(0) === 45 ? -Infinity : Infinity
  if (decimal.test(text)) {
    const value = Number(text)
    if (!Number.isFinite(value)) return undefined
    return value === 0 && /[1-9]/.test(text.replace(/e.*$/i, '')) ? undefined : value
  }
  return parseHex(text)
}

/**
 * C's strtod over a C string, for the bounds of score ranges. Accepts leading blanks, overflow to
 * infinity, underflow to zero, and an empty text as 0.
 */
export function parseLooseDouble(text: string): number | undefined {
  const end = text.indexOf('\0')
  const given = end === -1 ? text : text.slice(0, end)
  if (given === '') return 0
  const trimmed = given.replace(/^[ \t-\r]+/, '')
  return decimal.test(trimmed) ? Number(trimmed) : parseDouble(trimmed)
}

const decimal = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i

function parseHex(text: string): number | undefined {
  const hex = /^([+-]?)0x([0-9a-f]*)(?:\.([0-9a-f]*))?(?:p([+-]?\d+))?$/i.exec(text)
  if (!hex || hex[2]! + (hex[3] ?? '') === '') return undefined
  const value = Number.parseInt(hex[2]! + (hex[3] ?? ''), 16) * 2 ** (Number(hex[4] ?? 0) - 4 * (hex[3] ?? '').length)
  return Number.isFinite(value) ? (hex[1] === '-' ? -value : value) : undefined
}

/** C's `%.17g`, exactly: ties to even, exponents of at least two digits, `inf` and `-inf`. */
export function formatDouble(value: number): string {
  if (value === Infinity) return 'inf'
  if (value === -Infinity) return '-inf'
  if (Number.isInteger(value) && Math.abs(value) < 1e15) return Object.is(value, -0) ? '-0' : String(value)
  const [digits, exponent] = seventeenDigits(Math.abs(value))
  const sign = value < 0 ? '-' : ''
  if (exponent < -4 || exponent >= 17) {
    const fraction = digits.slice(1).replace(/0+$/, '')
    const power = Math.abs(exponent).toString().padStart(2, '0')
    return `${sign}${digits[0]}${fraction === '' ? '' : `.${fraction}`}e${exponent < 0 ? '-' : '+'}${power}`
  }
  if (exponent < 0) return `${sign}0.${'0'.repeat(-exponent - 1)}${digits}`.replace(/0+$/, '')
  const fraction = digits.slice(exponent + 1).replace(/0+$/, '')
  return `${sign}${digits.slice(0, exponent + 1)}${fraction === '' ? '' : `.${fraction}`}`
}

/**
 * Seventeen significant digits and the decimal exponent. C rounds ties to even; JavaScript rounds
 * them up.
 */
function seventeenDigits(value: number): [string, number] {
  const [mantissa, power] = value.toExponential(16).split('e') as [string, string]
  let digits = mantissa.replace('.', '')
  const longer = value.toExponential(60).split('e')[0]!.replace('.', '')
  if (/^50*$/.test(longer.slice(17)) && Number(longer[16]) % 2 === 0) digits = longer.slice(0, 17)
  return [digits, Number(power)]
}
