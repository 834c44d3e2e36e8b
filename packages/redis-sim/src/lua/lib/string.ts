/** The string library. Strings have its functions as methods. */
import { paid } from '../runtime/effort.ts'
import { raise, raiseArgument } from '../runtime/errors.ts'
import { stringMethods } from '../runtime/indexing.ts'
import { beyond, tooLong } from '../runtime/limits.ts'
import type { LuaResult, LuaValue } from '../runtime/values.ts'
import { checkFunction, checkInt, checkInteger, checkString, optionalInteger, several, single } from './arguments.ts'
import { format } from './string-format.ts'
import { find, gmatch, gsub, match } from './string-match.ts'

/**
 * Maximum length of a string: V8's limit. Redis does not allow longer strings to a script either.
 */
const maxStringLength = 2 ** 29 - 24

/** Converts a position to one that counts from the start. Negative positions count from the end. */
function absolute(position: number, length: number): number {
  const from = position < 0 ? position + length + 1 : position
  return Math.max(from, 0)
}

function sub(...args: LuaValue[]): LuaValue {
  const text = checkString(args, 1)
  const from = Math.max(absolute(checkInteger(args, 2), text.length), 1)
  const to = Math.min(absolute(optionalInteger(args, 3, -1), text.length), text.length)
  return from <= to ? text.slice(from - 1, to) : ''
}

function byte(...args: LuaValue[]): LuaResult {
  const text = checkString(args, 1)
  let from = absolute(optionalInteger(args, 2, 1), text.length)
  const to = Math.min(absolute(optionalInteger(args, 3, from), text.length), text.length)
  if (from <= 0) from = 1
  if (from > to) return []
  if (to - from + 1 + args.length > 8000) raise('string slice too long')
  return Array.from({ length: to - from + 1 }, (_, index) => text.charCodeAt(from - 1 + index))
}

function char(...args: LuaValue[]): LuaValue {
  return String.fromCharCode(
    ...args.map((_, index) => {
      const code = checkInt(args, index + 1)
      return code >= 0 && code <= 255 ? code : raiseArgument(index + 1, 'invalid value')
    }),
  )
}

function rep(...args: LuaValue[]): LuaValue {
  const text = checkString(args, 1)
  const count = Math.max(checkInt(args, 2), 0)
  if (text.length * count > maxStringLength) {
    beyond(tooLong)
    raise('not enough memory')
  }
  return paid(text.repeat(count))
}

const upperCase = (text: string) => text.replace(/[a-z]+/g, (letters) => letters.toUpperCase())
const lowerCase = (text: string) => text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())

/** The header of binary chunks. No code follows it. */
const binaryHeader = '\x1bLuaQ\0\x01\x04\x08\x04\x08\0'

function dump(...args: LuaValue[]): LuaValue {
  if (checkFunction(args, 1).isBuiltin) raise('unable to dump given function')
  return binaryHeader
}

const gmatchFunction = single(gmatch)
const functions: Record<string, LuaValue> = {
  byte: several(byte),
  char: single(char),
  dump: single(dump),
  find: several(find),
  format: single((...args) => paid(format(...args) as string)),
  gfind: gmatchFunction,
  gmatch: gmatchFunction,
  gsub: several(gsub),
  len: single((...args) => checkString(args, 1).length),
  lower: single((...args) => paid(lowerCase(checkString(args, 1)))),
  match: several(match),
  rep: single(rep),
  reverse: single((...args) => paid([...checkString(args, 1)].reverse().join(''))),
  sub: single(sub),
  upper: single((...args) => paid(upperCase(checkString(args, 1)))),
}
for (const [name, value] of Object.entries(functions)) stringMethods.set(name, value)

export const stringLibrary = stringMethods
