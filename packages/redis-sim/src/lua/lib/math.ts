/** The math library, with Redis's `random`. */

import { execution } from '../execution.ts'
import { raise } from '../runtime/errors.ts'
import { power } from '../runtime/operators.ts'
import type { LuaResult, LuaValue } from '../runtime/values.ts'
import { checkInt, checkNumber, library, raiseArgumentUnless, several, single } from './arguments.ts'
import { lrand48, seedRandom } from './random.ts'

const of = (compute: (x: number) => number) => single((...args) => compute(checkNumber(args, 1)))
const ofTwo = (compute: (x: number, y: number) => number) =>
  single((...args) => compute(checkNumber(args, 1), checkNumber(args, 2)))

function extreme(better: (a: number, b: number) => boolean) {
  return single((...args: LuaValue[]) => {
    let best = checkNumber(args, 1)
    for (let position = 2; position <= args.length; position++) {
      const candidate = checkNumber(args, position)
      if (better(candidate, best)) best = candidate
    }
    return best
  })
}

function frexp(...args: LuaValue[]): LuaResult {
  const x = checkNumber(args, 1)
  if (x === 0 || !Number.isFinite(x)) return [x, 0]
  let exponent = Math.max(-1022, Math.floor(Math.log2(Math.abs(x))) + 1)
  let fraction = x * 2 ** -exponent
  while (Math.abs(fraction) < 0.5) {
    fraction *= 2
    exponent--
  }
  while (Math.abs(fraction) >= 1) {
    fraction /= 2
    exponent++
  }
  return [fraction, exponent]
}

/**
 * Multiplies in steps, so that the power of two does not overflow or underflow before the product
 * does.
 */
function ldexp(x: number, exponent: number): number {
  const limited = Math.min(Math.max(exponent, -2200), 2200)
  const half = Math.trunc(limited / 3)
  return x * 2 ** half * 2 ** half * 2 ** (limited - 2 * half)
}

function modf(...args: LuaValue[]): LuaResult {
  const x = checkNumber(args, 1)
  const whole = Math.trunc(x)
  return [whole, Number.isFinite(x) ? x - whole : Number.isNaN(x) ? x : x > 0 ? 0 : -0]
}

function random(...args: LuaValue[]): LuaValue {
  const max = 0x7fffffff
  const r = (lrand48(execution.memory.random) % max) / max
  if (args.length === 0) return r
  if (args.length > 2) raise('wrong number of arguments')
  const low = args.length === 1 ? 1 : checkInt(args, 1)
  const high = checkInt(args, args.length)
  raiseArgumentUnless(low <= high, args.length, 'interval is empty')
  // The range is computed in 32 bits and may wrap.
  return args.length === 1 ? Math.floor(r * high) + 1 : Math.floor(r * ((high - low + 1) | 0)) + low
}

const fmod = ofTwo((x, y) => x % y)

export const mathLibrary = library({
  abs: of(Math.abs),
  acos: of(Math.acos),
  asin: of(Math.asin),
  atan: of(Math.atan),
  atan2: ofTwo(Math.atan2),
  ceil: of(Math.ceil),
  cos: of(Math.cos),
  cosh: of(Math.cosh),
  deg: of((x) => x / (Math.PI / 180)),
  exp: of(Math.exp),
  floor: of(Math.floor),
  fmod,
  frexp: several(frexp),
  huge: Number.POSITIVE_INFINITY,
  ldexp: single((...args) => ldexp(checkNumber(args, 1), checkInt(args, 2))),
  log: of(Math.log),
  log10: of(Math.log10),
  max: extreme((a, b) => a > b),
  min: extreme((a, b) => a < b),
  mod: fmod,
  modf: several(modf),
  pi: Math.PI,
  pow: ofTwo(power),
  rad: of((x) => x * (Math.PI / 180)),
  random: single(random),
  randomseed: several((...args) => {
    seedRandom(execution.memory.random, checkInt(args, 1))
    return []
  }),
  sin: of(Math.sin),
  sinh: of(Math.sinh),
  sqrt: of(Math.sqrt),
  tan: of(Math.tan),
  tanh: of(Math.tanh),
})
