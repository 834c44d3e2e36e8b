/**
 * `table.sort`: an exact port of Lua 5.1's quicksort, because the order of equal elements, the
 * calls of the comparison function and the error "invalid order function" depend on its steps.
 */
import { callBackFirst } from '../runtime/call.ts'
import { LuaError, raise } from '../runtime/errors.ts'
import { rawSet } from '../runtime/indexing.ts'
import { lt } from '../runtime/operators.ts'
import type { LuaTable } from '../runtime/table.ts'
import { isFalsy, type LuaResult, type LuaValue } from '../runtime/values.ts'
import { checkFunction, checkTable } from './arguments.ts'

type Less = (a: LuaValue, b: LuaValue) => boolean

export function sort(...args: LuaValue[]): LuaResult {
  const table = checkTable(args, 1)
  const size = table.length()
  const order = args[1] === undefined ? null : checkFunction(args, 2)
  quicksort(table, 1, size, order === null ? plainLess : (a, b) => !isFalsy(callBackFirst(order, [a, b])))
  return []
}

/**
 * Compares two values without a comparison function. An error of the comparison is raised inside
 * `sort`, which has no line number.
 */
const plainLess: Less = (a, b) => {
  try {
    return lt(a, b)
  } catch (error) {
    if (error instanceof LuaError) error.passBuiltin()
    throw error
  }
}

function swap(table: LuaTable, i: number, j: number, a: LuaValue, b: LuaValue): void {
  rawSet(table, i, b)
  rawSet(table, j, a)
}

/** Swaps elements i < j if they are out of order. */
function order(table: LuaTable, i: number, j: number, less: Less): void {
  const a = table.getNumber(i)
  const b = table.getNumber(j)
  if (less(b, a)) swap(table, i, j, a, b)
}

function quicksort(table: LuaTable, low: number, high: number, less: Less): void {
  while (low < high) {
    order(table, low, high, less)
    if (high - low === 1) return
    const middle = Math.floor((low + high) / 2)
    const pivot = medianOfThree(table, low, middle, high, less)
    if (high - low === 2) return
    swap(table, middle, high - 1, pivot, table.getNumber(high - 1))
    const i = partition(table, low, high, pivot, less)
    // Sorts the smaller half recursively, and the larger half in the next iteration.
    if (i - low < high - i) {
      quicksort(table, low, i - 1, less)
      low = i + 1
    } else {
      quicksort(table, i + 1, high, less)
      high = i - 1
    }
  }
}

function medianOfThree(table: LuaTable, low: number, middle: number, high: number, less: Less): LuaValue {
  const a = table.getNumber(middle)
  const b = table.getNumber(low)
  if (less(a, b)) swap(table, middle, low, a, b)
  else {
    const c = table.getNumber(high)
    if (less(c, a)) swap(table, middle, high, a, c)
  }
  return table.getNumber(middle)
}

function partition(table: LuaTable, low: number, high: number, pivot: LuaValue, less: Less): number {
  let i = low
  let j = high - 1
  for (;;) {
    let a = table.getNumber(++i)
    while (less(a, pivot)) {
      if (i > high) raise('invalid order function for sorting')
      a = table.getNumber(++i)
    }
    let b = table.getNumber(--j)
    while (less(pivot, b)) {
      if (j < low) raise('invalid order function for sorting')
      b = table.getNumber(--j)
    }
    if (j < i) break
    swap(table, i, j, a, b)
  }
  swap(table, high - 1, i, table.getNumber(high - 1), table.getNumber(i))
  return i
}
