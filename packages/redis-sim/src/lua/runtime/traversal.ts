/** Loops over `pairs` and `ipairs` that do not call a Lua function for each iteration. */

import { raiseArgument } from './errors.ts'
import { LuaTable } from './table.ts'
import { type LuaFunction, type LuaValue, typeName } from './values.ts'

export interface Traversal {
  key: LuaValue
  value: LuaValue
  /** Moves to the next entry; false at the end. */
  step(): boolean
}

class PairsTraversal implements Traversal {
  key: LuaValue = undefined
  value: LuaValue = undefined
  private position = -1
  private layout: number

  constructor(private readonly table: LuaTable) {
    this.layout = table.layout
  }

  step(): boolean {
    const { table } = this
    if (this.layout !== table.layout) {
      this.position = table.positionOf(this.key)
      this.layout = table.layout
    }
    this.position = table.nextPosition(this.position)
    if (this.position < 0) return false
    this.key = table.keyAt(this.position)
    this.value = table.valueAt(this.position)
    return true
  }
}

class IpairsTraversal implements Traversal {
  key = 0
  value: LuaValue = undefined
  constructor(private readonly table: LuaTable) {}

  step(): boolean {
    this.value = this.table.getNumber(++this.key)
    return this.value !== undefined
  }
}

export const next: LuaFunction = Object.assign(
  (...args: LuaValue[]) => {
    const [found, key] = args
    if (!(found instanceof LuaTable)) {
      raiseArgument(1, `table expected, got ${args.length === 0 ? 'no value' : typeName(found)}`)
    }
    const position = found.nextPosition(found.positionOf(key))
    return position < 0 ? undefined : [found.keyAt(position), found.valueAt(position)]
  },
  { isBuiltin: true },
)

export const ipairsStep: LuaFunction = Object.assign(
  (table: LuaValue, index?: LuaValue) => {
    const key = (index as number) + 1
    const value = (table as LuaTable).getNumber(key)
    return value === undefined ? [] : [key, value]
  },
  { isBuiltin: true },
)

/** Returns null if the iterator is not that of `pairs` or `ipairs` and must be called. */
export function traverse(iterator: LuaValue, state: LuaValue, control: LuaValue): Traversal | null {
  if (!(state instanceof LuaTable)) return null
  if (iterator === next && control === undefined) return new PairsTraversal(state)
  if (iterator === ipairsStep && control === 0) return new IpairsTraversal(state)
  return null
}
