/** Client messages as bytes, for tests. */
import { int16, int32 } from '../src/wire/backend.ts'
import { bytesOf } from '../src/wire/text.ts'

const text = (value: string): string => `${bytesOf(value)}\0`
const typed = (type: string, body: string): string => type + int32(4 + body.length) + body
const untyped = (body: string): string => int32(4 + body.length) + body

export const sslRequest = untyped(int32(80_877_103))
export const cancelRequest = (processId: number, key: number) =>
  untyped(int32(80_877_102) + int32(processId) + int32(key))

export const startup = (parameters: Readonly<Record<string, string>> = { user: 'postgres', database: 'postgres' }) =>
  untyped(`${int32(196_608)}${Object.entries(parameters).flat().map(text).join('')}\0`)

export const query = (sql: string) => typed('Q', text(sql))
export const parse = (sql: string, name = '', types: readonly number[] = []) =>
  typed('P', text(name) + text(sql) + int16(types.length) + types.map(int32).join(''))
export const sync = typed('S', '')
export const flush = typed('H', '')
export const terminate = typed('X', '')
export const describe = (what: 'S' | 'P', name = '') => typed('D', what + text(name))
export const close = (what: 'S' | 'P', name = '') => typed('C', what + text(name))
export const execute = (maxRows = 0, portal = '') => typed('E', text(portal) + int32(maxRows))

interface Bound {
  readonly statement?: string
  readonly portal?: string
  readonly formats?: readonly number[]
  readonly results?: readonly number[]
}

/** A Bind message. The values are bytes; null stands for NULL. */
export function bind(values: readonly (string | null)[] = [], more: Bound = {}): string {
  const { statement = '', portal = '', formats = [], results = [] } = more
  const list = (numbers: readonly number[]) => int16(numbers.length) + numbers.map(int16).join('')
  const given = values.map((value) => (value === null ? int32(-1) : int32(value.length) + value))
  return typed(
    'B',
    text(portal) + text(statement) + list(formats) + int16(values.length) + given.join('') + list(results),
  )
}

/** All messages for one statement of the extended protocol. */
export const ask = (sql: string, values: readonly (string | null)[] = [], more: Bound = {}) =>
  parse(sql, more.statement) + bind(values, more) + describe('P', more.portal) + execute(0, more.portal) + sync
