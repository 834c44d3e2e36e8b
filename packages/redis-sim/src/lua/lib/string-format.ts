/** `string.format`: C's conversions, as Lua 5.1 passes them to `sprintf`. Integers have 64 bits. */
import { raise, raiseArgument } from '../runtime/errors.ts'
import { formatE, formatF, formatG } from '../runtime/number-format.ts'
import type { LuaValue } from '../runtime/values.ts'
import { checkNumber, checkString, toInteger } from './arguments.ts'

interface Spec {
  readonly flags: string
  readonly width: number
  readonly precision: number | null
  readonly conversion: string
  readonly end: number
}

const flagCharacters = '-+ #0'
const isDigit = (character: string | undefined) => character !== undefined && character >= '0' && character <= '9'

/**
 * Parses a conversion. `at` is the index after the `%`. Width and precision have at most two
 * digits.
 */
function parseSpec(text: string, at: number): Spec {
  const start = at
  while (at < text.length && flagCharacters.includes(text[at]!)) at++
  if (at - start > flagCharacters.length) raise('invalid format (repeated flags)')
  const flags = text.slice(start, at)
  const digits = () => {
    const from = at
    for (let count = 0; count < 2 && isDigit(text[at]); count++) at++
    return text.slice(from, at)
  }
  const width = Number(digits())
  let precision: number | null = null
  if (text[at] === '.') {
    at++
    precision = Number(digits())
  }
  if (isDigit(text[at])) raise('invalid format (width or precision too long)')
  return { flags, width, precision, conversion: text[at] ?? '', end: at + 1 }
}

export function format(...args: LuaValue[]): LuaValue {
  const text = checkString(args, 1)
  let result = ''
  let argument = 1
  for (let at = 0; at < text.length; ) {
    const percent = text.indexOf('%', at)
    if (percent < 0) return result + text.slice(at)
    result += text.slice(at, percent)
    if (text[percent + 1] === '%') {
      result += '%'
      at = percent + 2
      continue
    }
    if (++argument > args.length) raiseArgument(argument, 'no value')
    const spec = parseSpec(text, percent + 1)
    result += convert(spec, args, argument)
    at = spec.end
  }
  return result
}

function convert(spec: Spec, args: readonly LuaValue[], position: number): string {
  switch (spec.conversion) {
    case 'c':
      // C's output ends at a NUL.
      return pad(String.fromCharCode(toInteger(checkNumber(args, position)) & 255), spec, false).split('\0', 1)[0]!
    case 'd':
    case 'i':
      return signed(BigInt(toInteger(checkNumber(args, position))), spec)
    case 'o':
    case 'u':
    case 'x':
    case 'X':
      return unsigned(toUnsigned(checkNumber(args, position)), spec)
    case 'e':
    case 'E':
    case 'f':
    case 'g':
    case 'G':
      return float(checkNumber(args, position), spec)
    case 'q':
      return quoted(checkString(args, position))
    case 's':
      return text(args, position, spec)
    default: {
      const shown = `%${spec.conversion}`.split('\0', 1)[0]
      raise(`invalid option '${shown}' to 'format'`)
    }
  }
}

function text(args: readonly LuaValue[], position: number, spec: Spec): string {
  const value = checkString(args, position)
  // Strings of at least 100 bytes without a precision are appended completely; all others pass
  // through C's `sprintf` and end at a NUL.
  if (spec.precision === null && value.length >= 100) return value
  const end = value.indexOf('\0')
  const cut = end < 0 ? value : value.slice(0, end)
  return pad(spec.precision === null ? cut : cut.slice(0, spec.precision), spec, false)
}

function quoted(value: string): string {
  const escapes: Record<string, string> = { '"': '\\"', '\\': '\\\\', '\n': '\\\n', '\r': '\\r', '\0': '\\000' }
  return `"${value.replace(/["\\\n\r\0]/g, (character) => escapes[character]!)}"`
}

/** C's conversion of a double to `unsigned long long` on x86-64. */
function toUnsigned(value: number): bigint {
  const whole = Math.trunc(value)
  if (whole >= 2 ** 63 && whole < 2 ** 64) return BigInt(whole)
  if (whole >= 2 ** 64) return 0n
  return BigInt.asUintN(64, BigInt(toInteger(value)))
}

function signed(value: bigint, spec: Spec): string {
  const digits = minimumDigits((value < 0n ? -value : value).toString(), spec)
  return pad(signText(value < 0n, spec) + digits, spec, spec.precision === null)
}

function unsigned(value: bigint, spec: Spec): string {
  const radix = spec.conversion === 'o' ? 8 : spec.conversion === 'u' ? 10 : 16
  let digits = minimumDigits(value.toString(radix), spec)
  if (spec.flags.includes('#')) {
    if (radix === 16 && value !== 0n) digits = `0x${digits}`
    if (radix === 8 && digits[0] !== '0') digits = `0${digits}`
  }
  if (spec.conversion === 'X') digits = digits.toUpperCase()
  return pad(digits, spec, spec.precision === null)
}

function minimumDigits(digits: string, { precision }: Spec): string {
  return precision === 0 && digits === '0' ? '' : digits.padStart(precision ?? 1, '0')
}

function signText(negative: boolean, { flags }: Spec): string {
  if (negative) return '-'
  if (flags.includes('+')) return '+'
  return flags.includes(' ') ? ' ' : ''
}

function float(value: number, spec: Spec): string {
  const precision = spec.precision ?? 6
  const alternate = spec.flags.includes('#')
  const lower = spec.conversion.toLowerCase()
  const formatter = lower === 'e' ? formatE : lower === 'f' ? formatF : formatG
  let result = formatter(value, precision, alternate)
  if (result[0] !== '-') result = signText(false, spec) + result
  if (spec.conversion !== lower) result = result.toUpperCase()
  return pad(result, spec, Number.isFinite(value))
}

/**
 * Pads to the width: on the right with `-`; with zeros after sign and prefix if `zeros` and the
 * flag `0` are set; otherwise on the left with blanks.
 */
function pad(value: string, { flags, width }: Spec, zeros: boolean): string {
  if (value.length >= width) return value
  if (flags.includes('-')) return value.padEnd(width)
  if (!zeros || !flags.includes('0')) return value.padStart(width)
  const prefix = /^[+\- ]?(?:0[xX])?/.exec(value)![0]
  return prefix + value.slice(prefix.length).padStart(width - prefix.length, '0')
}
