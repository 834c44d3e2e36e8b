/** `string.find`, `match`, `gmatch`, `gsub`. */
import { callBackFirst } from '../runtime/call.ts'
import { paid } from '../runtime/effort.ts'
import { LuaError, raise } from '../runtime/errors.ts'
import { index } from '../runtime/indexing.ts'
import { toText } from '../runtime/operators.ts'
import { LuaTable } from '../runtime/table.ts'
import { isFalsy, type LuaFunction, type LuaResult, type LuaValue, typeName } from '../runtime/values.ts'
import { checkInt, checkString, optionalInteger, raiseArgumentUnless, several } from './arguments.ts'
import { Matcher } from './pattern.ts'

const specials = /[\^$*+?.([%-]/

function startOf(args: readonly LuaValue[], subject: string): number {
  const position = optionalInteger(args, 3, 1)
  const from = position < 0 ? position + subject.length : position - 1
  return Math.min(Math.max(from, 0), subject.length)
}

export function find(...args: LuaValue[]): LuaResult {
  return search(args, true)
}
export function match(...args: LuaValue[]): LuaResult {
  return search(args, false)
}

function search(args: readonly LuaValue[], isFind: boolean): LuaResult {
  const subject = checkString(args, 1)
  const pattern = checkString(args, 2)
  let start = startOf(args, subject)
  if (isFind && (!isFalsy(args[3]) || !specials.test(pattern.split('\0', 1)[0]!))) {
    const at = subject.indexOf(pattern, start)
    return at < 0 ? undefined : [at + 1, at + pattern.length]
  }
  const anchored = pattern[0] === '^'
  const matcher = new Matcher(subject, pattern)
  do {
    const end = matcher.matchAt(start, anchored ? 1 : 0)
    if (end !== -1) {
      return isFind
        ? [start + 1, end, ...matcher.allCaptures(start, end, false)]
        : matcher.allCaptures(start, end, true)
    }
  } while (start++ < subject.length && !anchored)
  return undefined
}

export function gmatch(...args: LuaValue[]): LuaFunction {
  const subject = checkString(args, 1)
  const pattern = checkString(args, 2)
  let position = 0
  return several(() => {
    const matcher = new Matcher(subject, pattern)
    for (; position <= subject.length; position++) {
      const start = position
      const end = matcher.matchAt(start, 0)
      if (end === -1) continue
      position = end === start ? end + 1 : end
      return matcher.allCaptures(start, end, true)
    }
    return undefined
  })
}

export function gsub(...args: LuaValue[]): LuaResult {
  const subject = checkString(args, 1)
  const pattern = checkString(args, 2)
  const replacement = args[2]
  const type = typeName(replacement)
  const max = args[3] === undefined ? subject.length + 1 : checkInt(args, 4)
  raiseArgumentUnless(['number', 'string', 'table', 'function'].includes(type), 3, 'string/function/table expected')
  const anchored = pattern[0] === '^'
  const matcher = new Matcher(subject, pattern)
  let result = ''
  let position = 0
  let count = 0
  while (count < max) {
    const end = matcher.matchAt(position, anchored ? 1 : 0)
    if (end !== -1) {
      count++
      result += substitute(matcher, replacement, position, end)
    }
    if (end !== -1 && end > position) position = end
    else if (position < subject.length) result += subject[position++]
    else break
    if (anchored) break
  }
  return [paid(result + subject.slice(position)), count]
}

function substitute(matcher: Matcher, replacement: LuaValue, start: number, end: number): string {
  let value: LuaValue
  if (typeof replacement === 'function') value = callBackFirst(replacement, matcher.allCaptures(start, end, true))
  else if (replacement instanceof LuaTable) value = lookup(replacement, matcher.capture(0, start, end))
  else return expand(matcher, toText(replacement)!, start, end)
  if (isFalsy(value)) return matcher.subject.slice(start, end)
  const text = toText(value)
  if (text === undefined) raise(`invalid replacement value (a ${typeName(value)})`)
  return text
}

function lookup(table: LuaTable, key: LuaValue): LuaValue {
  try {
    return index(table, key)
  } catch (error) {
    if (error instanceof LuaError) error.passBuiltin()
    throw error
  }
}

/** Expands `%0` to `%9` in a replacement. After `%`, any other byte is literal. */
function expand(matcher: Matcher, text: string, start: number, end: number): string {
  let result = ''
  for (let at = 0; at < text.length; at++) {
    if (text[at] !== '%') {
      result += text[at]
      continue
    }
    // At the end of the text, C reads the terminating NUL.
    const code = ++at < text.length ? text.charCodeAt(at) : 0
    if (code < 48 || code > 57) result += String.fromCharCode(code)
    else if (code === 48) result += matcher.subject.slice(start, end)
    else result += toText(matcher.capture(code - 49, start, end))
  }
  return result
}
