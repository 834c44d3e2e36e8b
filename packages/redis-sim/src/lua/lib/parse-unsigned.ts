/**
 * C's 64-bit `strtoul`, used by `tonumber(text, base)`: accepts white space, a sign (which wraps),
 * and `0x` in base 16.
 */
const maxUnsigned = 2n ** 64n - 1n

export function parseUnsigned(text: string, base: number): number | undefined {
  const end = text.indexOf('\0')
  const match = /^[ \t-\r]*([+-]?)(.*?)[ \t-\r]*$/s.exec(end < 0 ? text : text.slice(0, end))!
  let digits = match[2]!.toLowerCase()
  if (base === 16 && /^0x[0-9a-f]/.test(digits)) digits = digits.slice(2)
  if (digits === '') return undefined
  let value = 0n
  for (const digit of digits) {
    const worth = '0123456789abcdefghijklmnopqrstuvwxyz'.indexOf(digit)
    if (worth < 0 || worth >= base) return undefined
    value = value * BigInt(base) + BigInt(worth)
  }
  if (value > maxUnsigned) return Number(maxUnsigned)
  return Number(match[1] === '-' ? BigInt.asUintN(64, -value) : value)
}
