/** Parses numbers like Lua 5.1 on glibc: `strtod`, then only white space until the end. */
const decimal = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?/
const hexadecimal = /^([+-]?)0[xX]([0-9a-fA-F]*)(?:\.([0-9a-fA-F]*))?(?:[pP]([+-]?\d+))?/
const named = /^([+-]?)(?:(inf(?:inity)?)|(nan(?:\([A-Za-z0-9_]*\))?))/i
const plain = /^-?\d{1,15}$/

/**
 * The number that `strtod` reads at the start of `text`, which has no leading white space. `length`
 * is 0 if the text starts with no number.
 */
export function strtod(text: string): { value: number; length: number } {
  const hex = hexadecimal.exec(text)
  if (hex && (hex[2] || hex[3])) {
    const digits = (hex[2] ?? '') + (hex[3] ?? '')
    const exponent = Number(hex[4] ?? 0) - 4 * (hex[3] ?? '').length
    // There is at least one hexadecimal digit before an exponent: see the condition above.
    const magnitude = Number(BigInt(`0x${digits}`)) * 2 ** exponent
    return { value: hex[1] === '-' ? -magnitude : magnitude, length: hex[0].length }
  }
  const match = decimal.exec(text)
  if (match) return { value: Number(match[0]), length: match[0].length }
  const name = named.exec(text)
  if (!name) return { value: 0, length: 0 }
  const value = name[2] ? Number.POSITIVE_INFINITY : Number.NaN
  return { value: name[1] === '-' ? -value : value, length: name[0].length }
}

/** Undefined if `text` is not a number. A NUL ends the string, as in C. */
export function parseNumber(text: string): number | undefined {
  if (plain.test(text)) return text === '-0' ? -0 : Number(text)
  const end = text.indexOf('\0')
  const trimmed = (end < 0 ? text : text.slice(0, end)).replace(/^[ \t-\r]+/, '')
  const { value, length } = strtod(trimmed)
  return length > 0 && /^[ \t-\r]*$/.test(trimmed.slice(length)) ? value : undefined
}
