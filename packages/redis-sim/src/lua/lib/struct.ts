/**
 * The struct library: packs values as C structures into strings. Values are little-endian and
 * unaligned unless the format specifies otherwise.
 */
import { raise, raiseArgument } from '../runtime/errors.ts'
import { toNumber } from '../runtime/operators.ts'
import type { LuaValue } from '../runtime/values.ts'
import {
  type Args,
  checkNumber,
  checkString,
  library,
  optionalInteger,
  raiseArgumentUnless,
  several,
  single,
  toInteger,
} from './arguments.ts'

const maxIntegerSize = 32
const defaultAlignment = 8
const maxInt = 2 ** 31 - 1
const fixedSizes: Record<string, number> = { b: 1, B: 1, h: 2, H: 2, l: 8, L: 8, T: 8, f: 4, d: 8, x: 1 }
const integerOptions = 'bBhHlLTiI'

/** Iterates over the options of a format. */
class Format {
  private at = 0
  private readonly text: string
  bigEndian = false
  private alignment = 1

  constructor(text: string) {
    this.text = text.split('\0', 1)[0]!
  }

  get done(): boolean {
    return this.at >= this.text.length
  }

  private number(otherwise: number): number {
    const digits = /^\d+/.exec(this.text.slice(this.at))?.[0]
    if (digits === undefined) return otherwise
    this.at += digits.length
    if (Number(digits) > maxInt) raise('integral size overflow')
    return Number(digits)
  }

  /** The next option and its size in bytes. */
  next(): { option: string; size: number } {
    const option = this.text[this.at++]!
    if (option === 'c') return { option, size: this.number(1) }
    if (option !== 'i' && option !== 'I') return { option, size: fixedSizes[option] ?? 0 }
    const size = this.number(4)
    if (size > maxIntegerSize) raise(`integral size ${size} is larger than limit of ${maxIntegerSize}`)
    return { option, size }
  }

  padding(position: number, option: string, size: number): number {
    if (size === 0 || option === 'c') return 0
    const unit = Math.min(size, this.alignment)
    return (unit - (position & (unit - 1))) & (unit - 1)
  }

  control(option: string): void {
    if (option === ' ') return
    if (option === '>' || option === '<') this.bigEndian = option === '>'
    else if (option === '!') {
      const alignment = this.number(defaultAlignment)
      if (alignment <= 0 || (alignment & (alignment - 1)) !== 0) raise(`alignment ${alignment} is not a power of 2`)
      this.alignment = alignment
    } else raiseArgument(1, `invalid format option '${option}'`)
  }
}

const scratch = new DataView(new ArrayBuffer(8))

function ordered(bytes: string, bigEndian: boolean): string {
  return bigEndian ? [...bytes].reverse().join('') : bytes
}

function integerBytes(value: number, size: number, bigEndian: boolean): string {
  // Beyond 64 bits, C shifts in zeros.
  let rest = value < 0 ? BigInt.asUintN(64, BigInt(toInteger(value))) : positive(value)
  let bytes = ''
  for (let index = 0; index < size; index++) {
    bytes += String.fromCharCode(Number(rest & 0xffn))
    rest >>= 8n
  }
  return ordered(bytes, bigEndian)
}

function positive(value: number): bigint {
  if (Number.isNaN(value)) return 2n ** 63n
  return value >= 2 ** 64 ? 0n : BigInt(Math.trunc(value))
}

function floatBytes(value: number, size: number, bigEndian: boolean): string {
  if (size === 4) scratch.setFloat32(0, value, true)
  else scratch.setFloat64(0, value, true)
  let bytes = ''
  for (let index = 0; index < size; index++) bytes += String.fromCharCode(scratch.getUint8(index))
  return ordered(bytes, bigEndian)
}

function pack(...given: LuaValue[]): LuaValue {
  // lua_struct.c appends a nil to the arguments.
  const args = [...given, undefined]
  const format = new Format(checkString(args, 1))
  let position = 2
  let result = ''
  while (!format.done) {
    const { option, size } = format.next()
    result += '\0'.repeat(format.padding(result.length, option, size))
    if (integerOptions.includes(option)) result += integerBytes(checkNumber(args, position++), size, format.bigEndian)
    else if (option === 'f' || option === 'd')
      result += floatBytes(checkNumber(args, position++), size, format.bigEndian)
    else if (option === 'x') result += '\0'
    else if (option === 'c' || option === 's') result += stringBytes(args, position++, option, size)
    else format.control(option)
  }
  return result
}

function stringBytes(args: Args, position: number, option: string, size: number): string {
  const text = checkString(args, position)
  const wanted = size === 0 ? text.length : size
  // The error of lua_struct.c names the argument after the one that is too short.
  raiseArgumentUnless(text.length >= wanted, position + 1, 'string too short')
  return text.slice(0, wanted) + (option === 's' ? '\0' : '')
}

function readInteger(bytes: string, signed: boolean, bigEndian: boolean): number {
  const size = bytes.length
  let value = 0n
  for (const character of ordered(bytes, !bigEndian)) {
    value = BigInt.asUintN(64, (value << 8n) | BigInt(character.charCodeAt(0)))
  }
  if (!signed) return Number(value)
  return Number(BigInt.asIntN(Math.min(size * 8, 64), value))
}

function readFloat(bytes: string, bigEndian: boolean): number {
  ;[...ordered(bytes, bigEndian)].forEach((character, index) => {
    scratch.setUint8(index, character.charCodeAt(0))
  })
  return bytes.length === 4 ? scratch.getFloat32(0, true) : scratch.getFloat64(0, true)
}

function unpack(...args: LuaValue[]): LuaValue[] {
  const format = new Format(checkString(args, 1))
  const data = checkString(args, 2)
  let at = optionalInteger(args, 3, 1)
  raiseArgumentUnless(at !== 0, 3, 'offset must be 1 or greater')
  // In lua_struct.c, a negative offset becomes a huge unsigned number.
  at = at < 0 ? 2 ** 53 : at - 1
  const values: LuaValue[] = []
  while (!format.done) {
    let { option, size } = format.next()
    at += format.padding(at, option, size)
    const checkRoom = () => raiseArgumentUnless(at + size <= data.length, 2, 'data string too short')
    checkRoom()
    if (option === 'c' && size === 0) {
      const previous = values.length > 0 ? toNumber(values.pop()) : undefined
      if (previous === undefined) raise("format 'c0' needs a previous size")
      size = Math.trunc(previous)
      if (size < 0) size = 2 ** 53
      checkRoom()
    }
    const bytes = data.slice(at, at + size)
    if (integerOptions.includes(option)) values.push(readInteger(bytes, /[a-z]/.test(option), format.bigEndian))
    else if (option === 'f' || option === 'd') values.push(readFloat(bytes, format.bigEndian))
    else if (option === 'c') values.push(bytes)
    else if (option === 's') {
      const end = data.indexOf('\0', at)
      if (end < 0) raise('unfinished string in data')
      values.push(data.slice(at, end))
      size = end - at + 1
    } else if (option !== 'x') format.control(option)
    at += size
  }
  return [...values, at + 1]
}

function sizeOf(...args: LuaValue[]): LuaValue {
  const format = new Format(checkString(args, 1))
  let at = 0
  while (!format.done) {
    const { option, size } = format.next()
    at += format.padding(at, option, size)
    if (option === 's') raiseArgument(1, "option 's' has no fixed size")
    if (option === 'c' && size === 0) raiseArgument(1, "option 'c0' has no fixed size")
    if (!/[0-9A-Za-z]/.test(option)) format.control(option)
    at += size
  }
  return at
}

export const structLibrary = library({ pack: single(pack), unpack: several(unpack), size: single(sizeOf) })
