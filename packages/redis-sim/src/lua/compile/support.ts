/** The functions that compiled code calls, by the names that it uses. */
import { call, call0, call1, call2, call3, tail0, tail1, tail2, tail3, tailCall } from '../runtime/call.ts'
import { request, requestTail } from '../runtime/call-stack.ts'
import { raise, unwind } from '../runtime/errors.ts'
import { field, index, setIndex } from '../runtime/indexing.ts'
import * as operators from '../runtime/operators.ts'
import { LuaTable } from '../runtime/table.ts'
import { traverse } from '../runtime/traversal.ts'
import { all, first, type LuaFunction, type LuaValue, none } from '../runtime/values.ts'

function truthy(value: LuaValue): boolean {
  return value !== undefined && value !== false
}

function unknownGlobal(name: string, _site: number): never {
  raise(`Script attempted to access nonexistent global variable '${name.split('\0', 1)[0]}'`)
}

function setGlobal(_value: LuaValue, _site: number): never {
  raise('Attempt to modify a readonly table')
}

function loopNumber(value: LuaValue, what: string): number {
  const number = operators.toNumber(value)
  if (number === undefined) raise(`'for' ${what} must be a number`)
  return number
}

function emptyArray(size: number): LuaValue[] {
  return Array.from({ length: size }, () => undefined)
}

function setList(table: LuaTable, from: number, values: readonly LuaValue[]): void {
  table.resizeArray(from + values.length)
  values.forEach((value, index) => {
    table.set(from + index + 1, value)
  })
}

function argTable(values: LuaValue[]): LuaTable {
  const table = new LuaTable([...values], 1)
  table.set('n', values.length)
  return table
}

function twin(plain: LuaFunction, generator: LuaFunction['generator']): LuaFunction {
  return Object.assign(plain, { generator })
}

const { add, sub, mul, div, mod, pow, unm, len, concat, eq, lt, le, gt, ge, modulo, power } = operators

export const support = {
  add,
  sub,
  mul,
  div,
  mod,
  pow,
  unm,
  len,
  concat,
  eq,
  lt,
  le,
  gt,
  ge,
  modulo,
  power,
  call,
  call0,
  call1,
  call2,
  call3,
  tail0,
  tail1,
  tail2,
  tail3,
  tailCall,
  request,
  requestTail,
  unwind,
  field,
  index,
  setIndex,
  traverse,
  LuaTable,
  all,
  first,
  none,
  truthy,
  unknownGlobal,
  setGlobal,
  loopNumber,
  emptyArray,
  setList,
  argTable,
  twin,
}
