/** `cmsgpack.unpack`, `unpack_one`, `unpack_limit`. */
import { raise } from '../runtime/errors.ts'
import { rawSet } from '../runtime/indexing.ts'
import { LuaTable } from '../runtime/table.ts'
import type { LuaValue } from '../runtime/values.ts'
import { type Args, checkInteger, checkString, optionalInteger } from './arguments.ts'

class Cursor {
  at: number
  private readonly view: DataView

  constructor(
    private readonly text: string,
    offset: number,
  ) {
    this.at = offset
    const buffer = Buffer.from(text, 'latin1')
    this.view = new DataView(buffer.buffer, buffer.byteOffset, buffer.length)
  }

  get left(): number {
    return this.text.length - this.at
  }

  need(size: number): void {
    if (this.left < size) raise('Missing bytes in input.')
  }

  private number(size: number, read: (view: DataView, at: number) => number | bigint): number {
    this.need(1 + size)
    const value = Number(read(this.view, this.at + 1))
    this.at += 1 + size
    return value
  }

  private string(headerSize: number, length: number): string {
    this.need(headerSize + length)
    const start = this.at + headerSize
    this.at = start + length
    return this.text.slice(start, this.at)
  }

  private list(length: number): LuaTable {
    const table = new LuaTable()
    for (let index = 1; index <= length; index++) table.set(index, this.value())
    return table
  }

  private map(length: number): LuaTable {
    const table = new LuaTable()
    for (let index = 0; index < length; index++) {
      const key = this.value()
      const value = this.value()
      rawSet(table, key, value)
    }
    return table
  }

  private readonly unsigned = (size: number) =>
    this.number(size, (view, at) =>
      size === 1 ? view.getUint8(at) : size === 2 ? view.getUint16(at) : view.getUint32(at),
    )

  value(): LuaValue {
    this.need(1)
    const header = this.view.getUint8(this.at)
    switch (header) {
      case 0xc0:
      case 0xc2:
      case 0xc3:
        this.at++
        return header === 0xc0 ? undefined : header === 0xc3
      case 0xca:
        return this.number(4, (view, at) => view.getFloat32(at))
      case 0xcb:
        return this.number(8, (view, at) => view.getFloat64(at))
      case 0xcc:
      case 0xcd:
      case 0xce:
        return this.unsigned(1 << (header - 0xcc))
      case 0xd0:
        return this.number(1, (view, at) => view.getInt8(at))
      case 0xd1:
        return this.number(2, (view, at) => view.getInt16(at))
      case 0xd2:
        return this.number(4, (view, at) => view.getInt32(at))
      // Like lua_cmsgpack.c, reads unsigned 64-bit integers as signed integers.
      case 0xcf:
      case 0xd3:
        return this.number(8, (view, at) => view.getBigInt64(at))
      case 0xd9:
      case 0xda:
      case 0xdb:
        return this.string(0, this.unsigned(1 << (header - 0xd9)))
      case 0xdc:
      case 0xdd:
        return this.list(this.unsigned(2 << (header - 0xdc)))
      case 0xde:
      case 0xdf:
        return this.map(this.unsigned(2 << (header - 0xde)))
      default:
        return this.small(header)
    }
  }

  /** Reads a value whose header byte contains the value or its length. */
  private small(header: number): LuaValue {
    if (header < 0x80 || header >= 0xe0) {
      this.at++
      return header < 0x80 ? header : header - 256
    }
    if (header >= 0xa0 && header < 0xc0) return this.string(1, header & 31)
    if (header >= 0xc0) raise('Bad data format in input.')
    this.at++
    return header >= 0x90 ? this.list(header & 15) : this.map(header & 15)
  }
}

function unpackFrom(args: Args, limit: number, offset: number): LuaValue[] {
  const text = checkString(args, 1)
  const length = text.length
  if (offset < 0 || limit < 0) {
    raise(`Invalid request to unpack with offset of ${offset | 0} and limit of ${length}.`)
  }
  if (offset > length) raise(`Start offset ${offset | 0} greater than input length ${length}.`)
  const everything = limit === 0 && offset === 0
  const most = everything ? Number.POSITIVE_INFINITY : limit
  const cursor = new Cursor(text, offset)
  const values: LuaValue[] = []
  while (cursor.left > 0 && values.length < most) values.push(cursor.value())
  return everything ? values : [cursor.left === 0 ? -1 : cursor.at, ...values]
}

export const unpack = (...args: LuaValue[]) => unpackFrom(args, 0, 0)
export const unpackOne = (...args: LuaValue[]) => unpackFrom(args, 1, optionalInteger(args, 2, 0))
export const unpackLimit = (...args: LuaValue[]) => unpackFrom(args, checkInteger(args, 2), optionalInteger(args, 3, 0))
