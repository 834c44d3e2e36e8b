/** Reads and writes fields, with metamethods. */
import { callThroughC } from './call.ts'
import { raise, raisePlain, raiseType } from './errors.ts'
import { LuaTable } from './table.ts'
import { first, type LuaValue } from './values.ts'

const maxMetaLoops = 100

/** The methods of strings. The string library fills this table. */
export const stringMethods = new LuaTable()
export const stringMetatable = new LuaTable()
stringMetatable.set('__index', stringMethods)

export function index(object: LuaValue, key: LuaValue, _site?: number): LuaValue {
  if (object instanceof LuaTable) {
    const value = object.get(key)
    if (value !== undefined || object.metatable === null) return value
  } else if (typeof object === 'string') return stringMethods.get(key)
  return indexSlow(object, key)
}

/** Like `index`, for a string key. */
export function field(object: LuaValue, key: string, _site?: number): LuaValue {
  if (object instanceof LuaTable) {
    const value = object.getString(key)
    if (value !== undefined || object.metatable === null) return value
  } else if (typeof object === 'string') return stringMethods.getString(key)
  return indexSlow(object, key)
}

function indexSlow(object: LuaValue, key: LuaValue): LuaValue {
  for (let loop = 0; loop < maxMetaLoops; loop++) {
    let handler: LuaValue
    if (object instanceof LuaTable) {
      const value = object.get(key)
      if (value !== undefined) return value
      handler = object.meta('__index')
      if (handler === undefined) return undefined
    } else {
      if (typeof object === 'string') return stringMethods.get(key)
      // Only the first object can have a name; the others come from metatables.
      raiseType('index', object, loop)
    }
    if (typeof handler === 'function') return first(callThroughC(handler, [object, key]))
    object = handler
  }
  raise('loop in gettable')
}

const readOnlyText = 'Attempt to modify a readonly table'

function keyProblem(key: LuaValue): string | null {
  if (key === undefined) return 'table index is nil'
  return typeof key === 'number' && Number.isNaN(key) ? 'table index is NaN' : null
}

function checkKey(key: LuaValue): void {
  const problem = keyProblem(key)
  if (problem !== null) raise(problem)
}

/** Assigns a field without metamethods, for built-in functions. An error has no position yet. */
export function rawSet(table: LuaTable, key: LuaValue, value: LuaValue): void {
  const problem = table.readOnly ? readOnlyText : keyProblem(key)
  if (problem !== null) raisePlain(problem)
  table.set(key, value)
}

export function setIndex(object: LuaValue, key: LuaValue, value: LuaValue, _site?: number): void {
  if (object instanceof LuaTable && object.metatable === null && !object.readOnly) {
    if (typeof key !== 'string') checkKey(key)
    object.set(key, value)
  } else setIndexSlow(object, key, value)
}

function setIndexSlow(object: LuaValue, key: LuaValue, value: LuaValue): void {
  for (let loop = 0; loop < maxMetaLoops; loop++) {
    let handler: LuaValue
    if (object instanceof LuaTable) {
      if (object.readOnly) raise(readOnlyText)
      checkKey(key)
      handler = object.get(key) === undefined ? object.meta('__newindex') : undefined
      // Lua allocates the key before it looks for a metamethod.
      object.set(key, handler === undefined ? value : undefined)
      if (handler === undefined) return
    } else {
      handler = undefined
      raiseType('index', object, loop)
    }
    if (typeof handler === 'function') {
      callThroughC(handler, [object, key, value])
      return
    }
    object = handler
  }
  raise('loop in settable')
}
