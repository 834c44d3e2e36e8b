/** `load` and `loadstring`: compile chunks at run time. */
import { compileChunk } from '../compile/chunk.ts'
import { execution } from '../execution.ts'
import { callBackFirst } from '../runtime/call.ts'
import { LuaError } from '../runtime/errors.ts'
import type { LuaResult, LuaValue } from '../runtime/values.ts'
import { LuaSyntaxError } from '../syntax/lexer.ts'
import { checkFunction, checkString, optionalString, several } from './arguments.ts'

const maxNameLength = 60
const maxTextLength = 43

/**
 * The name of a chunk in messages: `=x` becomes `x`, `@x` is a file name, any other name becomes
 * `[string "…"]`.
 */
function displayName(name: string): string {
  if (name[0] === '=') return name.slice(1, maxNameLength)
  if (name[0] === '@') {
    const most = maxNameLength - 9
    return name.length - 1 > most ? `...${name.slice(-most)}` : name.slice(1)
  }
  const line = name.split(/[\n\r]/, 1)[0]!.slice(0, maxTextLength)
  return `[string "${line}${line.length < name.length ? '...' : ''}"]`
}

function loadText(text: string, name: string): LuaResult {
  try {
    return compileChunk(text, displayName(name), name, null, execution.environment).main
  } catch (error) {
    if (error instanceof LuaSyntaxError) return [undefined, error.message]
    throw error
  }
}

function loadString(...args: LuaValue[]): LuaResult {
  const text = checkString(args, 1)
  return loadText(text, optionalString(args, 2, text))
}

function load(...args: LuaValue[]): LuaResult {
  const reader = checkFunction(args, 1)
  const name = optionalString(args, 2, '=(load)')
  let text = ''
  for (;;) {
    let piece: LuaValue
    try {
      piece = callBackFirst(reader, [])
    } catch (error) {
      if (error instanceof LuaError && !error.fatal) return [undefined, error.settle()]
      throw error
    }
    if (piece === undefined || piece === '') return loadText(text, name)
    if (typeof piece !== 'string' && typeof piece !== 'number')
      return [undefined, 'reader function must return a string']
    text += piece
  }
}

export const loadFunctions = { load: several(load), loadstring: several(loadString) }
