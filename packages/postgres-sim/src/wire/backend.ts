/**
 * Server messages of protocol 3.0. Each byte is one character of a string (PostgreSQL 15, chapter
 * 55.7).
 */
import type { Field, SqlNotice } from '../index.ts'
import { bytesOf } from './text.ts'

export function int16(value: number): string {
  return String.fromCharCode((value >> 8) & 0xff, value & 0xff)
}

export function int32(value: number): string {
  return String.fromCharCode((value >>> 24) & 0xff, (value >>> 16) & 0xff, (value >>> 8) & 0xff, value & 0xff)
}

const zeroEnded = (text: string): string => `${bytesOf(text)}\0`

function message(type: string, body = ''): string {
  return `${type}${int32(4 + body.length)}${body}`
}

export const authenticationOk = message('R', int32(0))
export const parseComplete = message('1')
export const bindComplete = message('2')
export const closeComplete = message('3')
export const noData = message('n')
export const emptyQueryResponse = message('I')
export const portalSuspended = message('s')

export function parameterStatus(name: string, value: string): string {
  return message('S', zeroEnded(name) + zeroEnded(value))
}

export function backendKeyData(processId: number, secretKey: number): string {
  return message('K', int32(processId) + int32(secretKey))
}

export function readyForQuery(status: 'I' | 'T' | 'E'): string {
  return message('Z', status)
}

export function commandComplete(tag: string): string {
  return message('C', zeroEnded(tag))
}

export function parameterDescription(types: readonly number[]): string {
  return message('t', int16(types.length) + types.map(int32).join(''))
}

/** Encodes RowDescription. `formats` has an entry for each field: 0 for text, 1 for binary. */
export function rowDescription(fields: readonly Field[], formats: readonly number[]): string {
  if (formats.some((format) => format !== 0)) return described(fields, formats)
  let known = describedAsText.get(fields)
  if (known === undefined) describedAsText.set(fields, (known = described(fields, formats)))
  return known
}

/** Cache of encoded descriptions. A statement returns the same `fields` object each time. */
const describedAsText = new WeakMap<readonly Field[], string>()

function described(fields: readonly Field[], formats: readonly number[]): string {
  const columns = fields.map(
    ({ name, tableOid, column, typeOid, typeSize, typeModifier }, at) =>
      zeroEnded(name) +
      int32(tableOid) +
      int16(column) +
      int32(typeOid) +
      int16(typeSize) +
      int32(typeModifier) +
      int16(formats[at]!),
  )
  return message('T', int16(fields.length) + columns.join(''))
}

/** The length field of NULL. */
const none = int32(-1)

/** Encodes DataRow. Each value is bytes in the format of its field; null stands for NULL. */
export function dataRow(values: readonly (string | null)[]): string {
  let columns = ''
  for (const value of values) columns += value === null ? none : int32(value.length) + value
  return message('D', int16(values.length) + columns)
}

export function notificationResponse(processId: number, channel: string, payload: string): string {
  return message('A', int32(processId) + zeroEnded(channel) + zeroEnded(payload))
}

/** The fields of an error or notice in PostgreSQL's order, without file, line and routine. */
function fields(reported: SqlNotice): string {
  const { severity, code, position } = reported
  const all: readonly (readonly [string, string | undefined])[] = [
    ['S', severity],
    ['V', severity],
    ['C', code],
    ['M', reported.message],
    ['D', reported.detail],
    ['H', reported.hint],
    ['W', reported.where],
    ['s', reported.schema],
    ['t', reported.table],
    ['c', reported.column],
    ['d', reported.dataType],
    ['n', reported.constraint],
    ['P', position === undefined ? undefined : String(position)],
  ]
  return `${all.map(([name, text]) => (text === undefined ? '' : name + zeroEnded(text))).join('')}\0`
}

export const errorResponse = (error: SqlNotice): string => message('E', fields(error))

export const noticeResponse = (notice: SqlNotice): string => message('N', fields(notice))
