/** `cmsgpack.pack`: the smallest MessagePack encoding of each value. */
import { raiseArgument } from '../runtime/errors.ts'
import { LuaTable } from '../runtime/table.ts'
import type { LuaValue } from '../runtime/values.ts'

/** Maximum nesting of tables. Deeper tables are encoded as nil. */
const maxNesting = 16

const view = new DataView(new ArrayBuffer(8))

/** A header byte and a big-endian number of `size` bytes. */
function bytes(header: number, size: number, write: () => void): string {
  write()
  let text = String.fromCharCode(header)
  for (let index = 0; index < size; index++) text += String.fromCharCode(view.getUint8(index))
  return text
}

function packInteger(n: number): string {
  if (n >= 0) {
    if (n <= 0x7f) return String.fromCharCode(n)
    if (n <= 0xff) return bytes(0xcc, 1, () => view.setUint8(0, n))
    if (n <= 0xffff) return bytes(0xcd, 2, () => view.setUint16(0, n))
    if (n <= 0xffffffff) return bytes(0xce, 4, () => view.setUint32(0, n))
    return bytes(0xcf, 8, () => view.setBigInt64(0, BigInt(n)))
  }
  if (n >= -32) return String.fromCharCode(n & 0xff)
  if (n >= -128) return bytes(0xd0, 1, () => view.setInt8(0, n))
  if (n >= -32768) return bytes(0xd1, 2, () => view.setInt16(0, n))
  if (n >= -(2 ** 31)) return bytes(0xd2, 4, () => view.setInt32(0, n))
  return bytes(0xd3, 8, () => view.setBigInt64(0, BigInt(n)))
}

function packNumber(n: number): string {
  if (Number.isInteger(n) && n >= -(2 ** 63) && n < 2 ** 63) return packInteger(n)
  if (Math.fround(n) === n) return bytes(0xca, 4, () => view.setFloat32(0, n))
  return bytes(0xcb, 8, () => {
    view.setFloat64(0, n)
    // NaN on x86 has its sign bit set.
    if (Number.isNaN(n)) view.setUint8(0, 0xff)
  })
}

/** The shortest encoding of a length. `header8` is null for types without an 8-bit length. */
function packLength(length: number, fixed: number, fixedMax: number, header8: number | null, header16: number): string {
  if (length <= fixedMax) return String.fromCharCode(fixed | length)
  if (header8 !== null && length <= 0xff) return bytes(header8, 1, () => view.setUint8(0, length))
  if (length <= 0xffff) return bytes(header16, 2, () => view.setUint16(0, length))
  return bytes(header16 + 1, 4, () => view.setUint32(0, length))
}

/** True if the keys are the integers from 1 to n, or the table is empty. */
function isList(table: LuaTable): boolean {
  let max = 0
  let count = 0
  for (let at = table.nextPosition(-1); at >= 0; at = table.nextPosition(at)) {
    const key = table.keyAt(at)
    if (typeof key !== 'number' || key <= 0 || (key | 0) !== key) return false
    max = Math.max(max, key)
    count++
  }
  return max === count
}

function packTable(table: LuaTable, level: number): string {
  let text = ''
  if (isList(table)) {
    const length = table.length()
    for (let index = 1; index <= length; index++) text += packValue(table.getNumber(index), level + 1)
    return packLength(length, 0x90, 15, null, 0xdc) + text
  }
  let count = 0
  for (let at = table.nextPosition(-1); at >= 0; at = table.nextPosition(at)) {
    text += packValue(table.keyAt(at), level + 1) + packValue(table.valueAt(at), level + 1)
    count++
  }
  return packLength(count, 0x80, 15, null, 0xde) + text
}

function packValue(value: LuaValue, level: number): string {
  switch (typeof value) {
    case 'string':
      return packLength(value.length, 0xa0, 31, 0xd9, 0xda) + value
    case 'number':
      return packNumber(value)
    case 'boolean':
      return value ? '\xc3' : '\xc2'
    default:
      return value instanceof LuaTable && level < maxNesting ? packTable(value, level) : '\xc0'
  }
}

export function pack(...args: LuaValue[]): LuaValue {
  if (args.length === 0) raiseArgument(0, 'MessagePack pack needs input.')
  return args.map((value) => packValue(value, 0)).join('')
}
