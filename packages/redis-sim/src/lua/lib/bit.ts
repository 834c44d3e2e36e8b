/** The bit library (Mike Pall's BitOp): 32-bit operations with signed results. */
import { toNumber } from '../runtime/operators.ts'
import type { LuaValue } from '../runtime/values.ts'
import { type Args, library, single, typeError } from './arguments.ts'

/**
 * If this number is added to another, the lower half of the resulting double contains the low 32
 * bits of the rounded other number.
 */
const magic = 6755399441055744
const double = new Float64Array(1)
const halves = new Int32Array(double.buffer)

function bits(args: Args, position: number): number {
  const number = toNumber(args[position - 1])
  double[0] = (number ?? 0) + magic
  if (number === undefined) typeError(args, position, 'number')
  return halves[0]!
}

function combine(operate: (a: number, b: number) => number) {
  return single((...args: LuaValue[]) => {
    let result = bits(args, 1)
    for (let position = args.length; position > 1; position--) result = operate(result, bits(args, position))
    return result
  })
}

function shift(operate: (a: number, n: number) => number) {
  return single((...args: LuaValue[]) => operate(bits(args, 1), bits(args, 2) & 31) | 0)
}

function hex(...args: LuaValue[]): LuaValue {
  const value = bits(args, 1)
  const wanted = args.length < 2 ? 8 : bits(args, 2)
  // For the smallest 32-bit integer, which cannot be negated in C, the result is empty.
  const digits = Math.min(Math.abs(wanted), 8)
  if (wanted === -(2 ** 31)) return ''
  const text = (value >>> 0)
    .toString(16)
    .padStart(8, '0')
    .slice(8 - digits)
  return wanted < 0 ? text.toUpperCase() : text
}

export const bitLibrary = library({
  tobit: single((...args) => bits(args, 1)),
  bnot: single((...args) => ~bits(args, 1)),
  band: combine((a, b) => a & b),
  bor: combine((a, b) => a | b),
  bxor: combine((a, b) => a ^ b),
  lshift: shift((a, n) => a << n),
  rshift: shift((a, n) => a >>> n),
  arshift: shift((a, n) => a >> n),
  rol: shift((a, n) => (a << n) | (n === 0 ? 0 : a >>> (32 - n))),
  ror: shift((a, n) => (a >>> n) | (n === 0 ? 0 : a << (32 - n))),
  bswap: single((...args) => {
    const value = bits(args, 1)
    return (value >>> 24) | ((value >>> 8) & 0xff00) | ((value & 0xff00) << 8) | (value << 24)
  }),
  tohex: single(hex),
})
