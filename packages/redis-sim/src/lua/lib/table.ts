/** The table library. Its functions access elements without metamethods. */

import { callBack } from '../runtime/call.ts'
import { paid } from '../runtime/effort.ts'
import { raise } from '../runtime/errors.ts'
import { rawSet } from '../runtime/indexing.ts'
import { toText } from '../runtime/operators.ts'
import type { LuaTable } from '../runtime/table.ts'
import { all, first, type LuaResult, type LuaValue, typeName } from '../runtime/values.ts'
import {
  checkFunction,
  checkInt,
  checkTable,
  library,
  optionalInt,
  optionalString,
  several,
  single,
} from './arguments.ts'
import { sort } from './table-sort.ts'

function insert(...args: LuaValue[]): LuaResult {
  const table = checkTable(args, 1)
  const end = table.length() + 1
  if (args.length === 2) rawSet(table, end, args[1])
  else if (args.length === 3) {
    const position = checkInt(args, 2)
    for (let index = Math.max(end, position); index > position; index--)
      rawSet(table, index, table.getNumber(index - 1))
    rawSet(table, position, args[2])
  } else raise("wrong number of arguments to 'insert'")
  return []
}

function remove(...args: LuaValue[]): LuaResult {
  const table = checkTable(args, 1)
  const end = table.length()
  let position = optionalInt(args, 2, end)
  if (position < 1 || position > end) return []
  const removed = table.getNumber(position)
  for (; position < end; position++) rawSet(table, position, table.getNumber(position + 1))
  rawSet(table, end, undefined)
  return removed
}

function concat(...args: LuaValue[]): LuaValue {
  const table = checkTable(args, 1)
  const separator = optionalString(args, 2, '')
  const from = optionalInt(args, 3, 1)
  const to = args[3] === undefined ? table.length() : checkInt(args, 4)
  let text = ''
  for (let index = from; index <= to; index++) {
    text += element(table, index)
    if (index < to) text += separator
  }
  return paid(text)
}

function element(table: LuaTable, index: number): string {
  const value = table.getNumber(index)
  const text = toText(value)
  if (text === undefined) raise(`invalid value (${typeName(value)}) at index ${index} in table for 'concat'`)
  return text
}

function maxn(...args: LuaValue[]): LuaValue {
  const table = checkTable(args, 1)
  let max = 0
  for (let position = table.nextPosition(-1); position >= 0; position = table.nextPosition(position)) {
    const key = table.keyAt(position)
    if (typeof key === 'number' && key > max) max = key
  }
  return max
}

function foreach(...args: LuaValue[]): LuaResult {
  const table = checkTable(args, 1)
  const visit = checkFunction(args, 2)
  let key: LuaValue
  for (;;) {
    const position = table.nextPosition(table.positionOf(key))
    if (position < 0) return []
    key = table.keyAt(position)
    const answer = first(callBack(visit, [key, table.valueAt(position)]))
    if (answer !== undefined) return answer
  }
}

function foreachi(...args: LuaValue[]): LuaResult {
  const table = checkTable(args, 1)
  const visit = checkFunction(args, 2)
  const end = table.length()
  for (let index = 1; index <= end; index++) {
    const answer = all(callBack(visit, [index, table.getNumber(index)]))[0]
    if (answer !== undefined) return answer
  }
  return []
}

export const tableLibrary = library({
  concat: single(concat),
  foreach: several(foreach),
  foreachi: several(foreachi),
  getn: single((...args) => checkTable(args, 1).length()),
  insert: several(insert),
  maxn: single(maxn),
  remove: several(remove),
  setn: several((...args) => {
    checkTable(args, 1)
    raise("'setn' is obsolete")
  }),
  sort: several(sort),
})
