import { SqlError } from '../sql-error.ts'
import { Decimal } from './decimal.ts'
import { byteLength } from './utf8.ts'

/**
 * A `jsonb` value. Numbers keep their digits. Object keys are unique and sorted, shorter keys
 * first.
 */
export type Jsonb = null | boolean | string | Decimal | readonly Jsonb[] | JsonbObject
export type JsonbObject = ReadonlyMap<string, Jsonb>

export function isObject(value: Jsonb): value is JsonbObject {
  return value instanceof Map
}

/**
 * Parses JSON. `resolves` is true for `jsonb`, which replaces escapes with their characters, and
 * false for `json`, which keeps its text.
 * @throws SqlError 22P02, 22P05; its detail and context name the token.
 */
export function parseJson(text: string, resolves = true): Jsonb {
  let at = 0
  const bad = (detail: string): never => {
    throw new SqlError('22P02', 'invalid input syntax for type json', { detail, where: contextOf(text, at) })
  }
  const space = () => {
    while (at < text.length && ' \t\n\r'.includes(text[at]!)) at++
  }
  const token = () => {
    const found = /^(?:[A-Za-z0-9_.+\-$]+|[\s\S])/.exec(text.slice(at))?.[0] ?? ''
    at += found.length
    return found
  }
  const unexpected = (expected?: string): never => {
    if (at >= text.length) return bad('The input string ended unexpectedly.')
    const found = text[at] === '"' ? JSON.stringify(string()) : token()
    // If the word is not a JSON token, the error reports the word and no expected token.
    const isToken = /^(?:true|false|null|[{}[\],:]|".*"|-?\d[\d.eE+-]*)$/s.test(found)
    if (expected === undefined || !isToken) return bad(`Token "${found}" is invalid.`)
    return bad(`${expected}, but found "${found.replace(/^"(.*)"$/s, '$1')}".`)
  }
  const string = (): string => {
    const start = at
    at++
    let out = ''
    /** True after the first half of a surrogate pair. */
    let half = false
    const alone = () => half && bad('Unicode low surrogate must follow a high surrogate.')
    for (;;) {
      if (at >= text.length) {
        return bad(`Token "${text.slice(start)}" is invalid.`)
      }
      const c = text[at]!
      if (c === '"') {
        at++
        alone()
        return out
      }
      if (c === '\\') {
        const next = text[at + 1]
        const simple: Record<string, string> = {
          '"': '"',
          '\\': '\\',
          '/': '/',
          b: '\b',
          f: '\f',
          n: '\n',
          r: '\r',
          t: '\t',
        }
        if (next === 'u' && /^[0-9a-fA-F]{4}/.test(text.slice(at + 2))) {
          const code = Number.parseInt(text.slice(at + 2, at + 6), 16)
          at += 6
          if (resolves) half = surrogate(code, half)
          out += String.fromCharCode(code)
        } else if (next === 'u') {
          at += 3 + /^[0-9a-fA-F]*/.exec(text.slice(at + 2))![0].length
          return bad('"\\u" must be followed by four hexadecimal digits.')
        } else if (next !== undefined && simple[next] !== undefined) {
          out += simple[next]
          at += 2
          alone()
        } else {
          at += 2
          return bad(`Escape sequence "\\${next ?? ''}" is invalid.`)
        }
      } else {
        if (c < ' ')
          return bad(`Character with value 0x${c.charCodeAt(0).toString(16).padStart(2, '0')} must be escaped.`)
        out += c
        at++
        alone()
      }
    }
  }
  /** Checks a `\u` escape. Returns true for the first half of a surrogate pair. */
  const surrogate = (code: number, half: boolean): boolean => {
    if (code === 0)
      throw new SqlError('22P05', 'unsupported Unicode escape sequence', {
        detail: '\\u0000 cannot be converted to text.',
        where: contextOf(text, at),
      })
    const isFirst = code >= 0xd800 && code <= 0xdbff
    const isSecond = code >= 0xdc00 && code <= 0xdfff
    if (isFirst && half) bad('Unicode high surrogate must not follow a high surrogate.')
    if (!isFirst && half !== isSecond) bad('Unicode low surrogate must follow a high surrogate.')
    return isFirst
  }
  const value = (expected?: string): Jsonb => {
    space()
    const c = text[at]
    if (c === '"') return string()
    if (c === '{') return object()
    if (c === '[') return array()
    const number = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![A-Za-z0-9_.])/.exec(text.slice(at))?.[0]
    if (number !== undefined) {
      at += number.length
      return Decimal.parse(number)!
    }
    const word = /^[A-Za-z_]\w*/.exec(text.slice(at))?.[0]
    if (word === 'true' || word === 'false' || word === 'null') {
      at += word.length
      return word === 'null' ? null : word === 'true'
    }
    return word === undefined && c !== undefined && !/[0-9]/.test(c) && '{}[],:'.includes(c)
      ? unexpected(expected ?? 'Expected JSON value')
      : unexpected()
  }
  const array = (): Jsonb => {
    at++
    const items: Jsonb[] = []
    space()
    if (text[at] === ']') {
      at++
      return items
    }
    for (;;) {
      items.push(value())
      space()
      if (text[at] === ',') at++
      else if (text[at] === ']') {
        at++
        return items
      } else return unexpected('Expected "," or "]"')
    }
  }
  const object = (): Jsonb => {
    at++
    const entries: [string, Jsonb][] = []
    space()
    if (text[at] === '}') {
      at++
      return jsonbObject(entries)
    }
    for (;;) {
      space()
      if (text[at] !== '"') return unexpected(entries.length === 0 ? 'Expected string or "}"' : 'Expected string')
      const key = string()
      space()
      if (text[at] !== ':') return unexpected('Expected ":"')
      at++
      entries.push([key, value()])
      space()
      if (text[at] === ',') at++
      else if (text[at] === '}') {
        at++
        return jsonbObject(entries)
      } else return unexpected('Expected "," or "}"')
    }
  }
  const result = value()
  space()
  if (at < text.length) return unexpected('Expected end of input')
  return result
}

/** The context of an error, `JSON data, line 1: …`, with the text before the wrong token. */
function contextOf(text: string, at: number): string {
  const line = text.slice(0, at).split('\n').length
  const start = text.lastIndexOf('\n', at - 1) + 1
  const from = Math.max(start, at - 50)
  const more = at < text.length && text[at] !== '\n' ? '...' : ''
  return `JSON data, line ${line}: ${from > start ? '...' : ''}${text.slice(from, at)}${more}`
}

export function jsonbObject(entries: Iterable<readonly [string, Jsonb]>): JsonbObject {
  const last = new Map(entries)
  return new Map([...last].sort(([a], [b]) => byLength(a, b)))
}

function byLength(a: string, b: string): number {
  const left = byteLength(a)
  const right = byteLength(b)
  if (left !== right) return left - right
  return a < b ? -1 : a > b ? 1 : 0
}

export function formatJsonb(value: Jsonb): string {
  if (value === null) return 'null'
  if (typeof value === 'string') return JSON.stringify(value)
  if (typeof value === 'boolean' || value instanceof Decimal) return String(value)
  if (isObject(value))
    return `{${[...value].map(([key, item]) => `${JSON.stringify(key)}: ${formatJsonb(item)}`).join(', ')}}`
  return `[${value.map(formatJsonb).join(', ')}]`
}

export function kindOf(value: Jsonb): 'null' | 'string' | 'number' | 'boolean' | 'array' | 'object' {
  if (value === null) return 'null'
  if (typeof value === 'string') return 'string'
  if (typeof value === 'boolean') return 'boolean'
  if (value instanceof Decimal) return 'number'
  return isObject(value) ? 'object' : 'array'
}

const order = ['null', 'string', 'number', 'boolean', 'array', 'object']

export function compareJsonb(a: Jsonb, b: Jsonb): number {
  const kind = kindOf(a)
  const byKind = order.indexOf(kind) - order.indexOf(kindOf(b))
  if (byKind !== 0) return byKind
  if (kind === 'number') return (a as Decimal).compare(b as Decimal)
  if (kind === 'string') return (a as string) < (b as string) ? -1 : a === b ? 0 : 1
  if (kind === 'boolean') return Number(a) - Number(b)
  if (kind === 'null') return 0
  const left = kind === 'array' ? (a as readonly Jsonb[]) : [...(a as JsonbObject)].flat()
  const right = kind === 'array' ? (b as readonly Jsonb[]) : [...(b as JsonbObject)].flat()
  if (left.length !== right.length) return left.length - right.length
  for (let i = 0; i < left.length; i++) {
    const result = compareJsonb(left[i]!, right[i]!)
    if (result !== 0) return result
  }
  return 0
}

/** The operator `@>`: https://www.postgresql.org/docs/15/datatype-json.html#JSON-CONTAINMENT */
export function contains(whole: Jsonb, part: Jsonb): boolean {
  if (Array.isArray(whole) && !Array.isArray(part) && !isObject(part)) return inArray(whole, part)
  return containsSame(whole, part)
}

function containsSame(whole: Jsonb, part: Jsonb): boolean {
  if (Array.isArray(part)) return Array.isArray(whole) && part.every((item) => inArray(whole, item))
  if (isObject(part)) {
    return isObject(whole) && [...part].every(([key, item]) => whole.has(key) && containsSame(whole.get(key)!, item))
  }
  return compareJsonb(whole, part) === 0
}

function inArray(whole: readonly Jsonb[], item: Jsonb): boolean {
  return whole.some((one) => containsSame(one, item))
}
