/**
 * `cjson.encode` of lua-cjson 2.1: detection of arrays, formats of numbers and strings, and errors.
 */
import { raise } from '../runtime/errors.ts'
import { formatG, nonFinite } from '../runtime/number-format.ts'
import { LuaTable } from '../runtime/table.ts'
import { LightUserdata, type LuaValue, typeName } from '../runtime/values.ts'
import type { CjsonConfig } from './cjson-config.ts'

const named: Record<string, string> = {
  '"': '\\"',
  '\\': '\\\\',
  '/': '\\/',
  '\b': '\\b',
  '\t': '\\t',
  '\n': '\\n',
  '\f': '\\f',
  '\r': '\\r',
}

function escapeCharacter(character: string): string {
  return named[character] ?? `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}

function quote(text: string): string {
  return `"${/["\\/\0-\x1f\x7f]/.test(text) ? text.replace(/["\\/\0-\x1f\x7f]/g, escapeCharacter) : text}"`
}

function refuse(value: LuaValue, reason: string): never {
  raise(`Cannot serialise ${typeName(value)}: ${reason}`)
}

function numberText(value: number, config: CjsonConfig): string {
  if (!Number.isFinite(value)) {
    if (config.encodeInvalidNumbers === 0) refuse(value, 'must not be NaN or Inf')
    if (config.encodeInvalidNumbers === 2) return 'null'
    return Number.isNaN(value) ? 'nan' : nonFinite(value)
  }
  return formatG(value, config.precision)
}

/** The largest key if all keys are positive integers; 0 for an empty table; -1 otherwise. */
function arrayLength(table: LuaTable, config: CjsonConfig): number {
  let max = 0
  let items = 0
  for (let at = table.nextPosition(-1); at >= 0; at = table.nextPosition(at)) {
    const key = table.keyAt(at)
    if (typeof key !== 'number' || key < 1 || Math.floor(key) !== key) return -1
    // C stores the maximum in an int.
    if (key > max) max = key < 2 ** 31 ? key : -(2 ** 31)
    items++
  }
  if (config.sparseRatio > 0 && max > items * config.sparseRatio && max > config.sparseSafe) {
    if (!config.sparseConvert) refuse(table, 'excessively sparse array')
    return -1
  }
  return max
}

export function encode(value: LuaValue, config: CjsonConfig, depth: number): string {
  switch (typeof value) {
    case 'string':
      return quote(value)
    case 'number':
      return numberText(value, config)
    case 'boolean':
      return String(value)
    case 'undefined':
      return 'null'
    default:
      if (value instanceof LuaTable) return encodeTable(value, config, depth + 1)
      if (value instanceof LightUserdata) return 'null'
      refuse(value, 'type not supported')
  }
}

function encodeTable(table: LuaTable, config: CjsonConfig, depth: number): string {
  if (depth > config.encodeMaxDepth) raise(`Cannot serialise, excessive nesting (${depth})`)
  const length = arrayLength(table, config)
  let text = ''
  if (length > 0) {
    for (let index = 1; index <= length; index++) {
      text += (index > 1 ? ',' : '') + encode(table.getNumber(index), config, depth)
    }
    return `[${text}]`
  }
  for (let at = table.nextPosition(-1); at >= 0; at = table.nextPosition(at)) {
    text += `${text === '' ? '' : ','}${keyText(table.keyAt(at), config)}:${encode(table.valueAt(at), config, depth)}`
  }
  return `{${text}}`
}

function keyText(key: LuaValue, config: CjsonConfig): string {
  if (typeof key === 'number') return `"${numberText(key, config)}"`
  return typeof key === 'string' ? quote(key) : refuse(key, 'table key must be a number or string')
}
