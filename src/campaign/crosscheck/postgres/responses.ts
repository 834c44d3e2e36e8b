/**
 * Splits the responses of a server into items that can be compared with the items of another
 * server.
 */
import { masked } from 'postgres-sim/compare'
import { BodyReader, textOf } from 'postgres-sim/wire'
import { nameOfWord } from './clock-words.ts'

/** One message; the body has one character per byte. */
export interface ResponseMessage {
  readonly type: string
  readonly body: string
}

/** A message, or rows together with the tag that ends them. */
export interface ResponseItem {
  readonly type: string
  readonly text: string
  /**
   * The same item with sorted rows, so that their order does not matter; null if there are no rows.
   */
  readonly sorted: string | null
  /** The SQLSTATE of an error. */
  readonly code: string | null
}

export function messagesIn(bytes: string): ResponseMessage[] {
  const messages: ResponseMessage[] = []
  for (let at = 0; at < bytes.length; ) {
    const end = at + 1 + new BodyReader(bytes.slice(at + 1, at + 5)).int32()
    messages.push({ type: bytes[at]!, body: bytes.slice(at + 5, end) })
    at = end
  }
  return messages
}

/** Translates numbers of one server. */
export interface Numbers {
  /** The session of the backend process with the id. */
  session(processId: number): number
  /** The name of a user-defined type. */
  type(oid: number): string | undefined
}

/**
 * Stands for a type that an uncommitted transaction has created, so that other sessions cannot read
 * its name.
 */
export const unnamedType = 'a type without a name'

/**
 * The first oid of user-defined types. Built-in types have smaller oids, which are the same on
 * every server.
 */
const firstMade = 16_384

/** The oids of user-defined types in the description of columns or parameters. */
export function typesMadeIn({ type, body }: ResponseMessage): readonly number[] {
  const reader = new BodyReader(body)
  const oids =
    type === 't' ? reader.list(() => reader.int32()) : type === 'T' ? columnsIn(body).map((one) => one.type) : []
  return oids.filter((oid) => oid >= firstMade)
}

/** The items to compare. Notifications are skipped, because they arrive at random times. */
export function itemsOf(messages: readonly ResponseMessage[], numbers: Numbers): ResponseItem[] {
  const nameOf = (oid: number) => (oid < firstMade ? String(oid) : (numbers.type(oid) ?? unnamedType))
  const items: ResponseItem[] = []
  let rows: string[] = []
  const flush = (type: string, tag: string): void => {
    const text = (all: readonly string[]) => [...all, tag].filter((one) => one !== '').join(' ')
    items.push({ type, text: text(rows), sorted: rows.length === 0 ? null : text([...rows].sort()), code: null })
    rows = []
  }
  for (const { type, body } of messages) {
    if (type === 'D') rows.push(rowText(body))
    else if (type === 'C') flush('C', textOf(body.slice(0, -1)))
    else if (type === 's') flush('s', '(more)')
    else if (type === 'E' || type === 'N') {
      if (rows.length > 0) flush('D', '')
      items.push(errorItem(type, body, (processId) => numbers.session(processId)))
    } else if (type !== 'A') items.push({ type, text: textOfOther(type, body, nameOf), sorted: null, code: null })
  }
  if (rows.length > 0) flush('D', '')
  return items
}

function textOfOther(type: string, body: string, nameOf: (type: number) => string): string {
  if (type === 'T') return columnsText(body, nameOf)
  if (type !== 't') return `${type} ${textOf(body)}`
  const reader = new BodyReader(body)
  return `parameters (${reader.list(() => nameOf(reader.int32())).join(', ')})`
}

/** All fields of a column except the oid of its table. */
function columnsText(body: string, nameOf: (type: number) => string): string {
  const columns = columnsIn(body).map(
    ({ name, table, column, type, rest }) => `${name}${table} ${column} ${nameOf(type)} ${rest}`,
  )
  return `columns (${columns.join(', ')})`
}

function columnsIn(body: string) {
  const reader = new BodyReader(body)
  return reader.list(() => {
    const name = nameOfWord(reader.text())
    const table = reader.int32() === 0 ? '' : ' of a table'
    const column = reader.int16()
    const type = reader.int32()
    return { name, table, column, type, rest: `${reader.int16()} ${reader.int32()} ${reader.int16()}` }
  })
}

function rowText(body: string): string {
  const reader = new BodyReader(body)
  const values = reader.list(() => {
    const length = reader.int32()
    return length === -1 ? null : textOf(reader.bytes(length))
  })
  return `(${values.map((value) => (value === null ? 'NULL' : JSON.stringify(value))).join(', ')})`
}

/**
 * All fields of an error, except those about PostgreSQL's source code and the repeated severity.
 */
function errorItem(type: string, body: string, numberOf: (processId: number) => number): ResponseItem {
  const reader = new BodyReader(body)
  const fields = new Map<string, string>()
  for (let name = reader.byte(); name !== '\0'; name = reader.byte()) {
    const value = reader.text()
    if (!'FLRV'.includes(name)) fields.set(name, value)
  }
  const reported = (value: string) =>
    masked(value).replace(/([Pp]rocess) (\d+)/g, (_, word, processId) => `${word} ${numberOf(Number(processId))}`)
  const rest = [...fields].filter(([name]) => !'SCM'.includes(name)).sort(([a], [b]) => (a < b ? -1 : 1))
  const details = rest.map(([name, value]) => `${names[name] ?? name}: ${reported(value)}`)
  const head = `${fields.get('S')} ${fields.get('C')} ${reported(fields.get('M') ?? '')}`
  const text = details.length === 0 ? head : `${head} (${details.join('; ')})`
  return { type, text, sorted: null, code: fields.get('C') ?? null }
}

const names: Readonly<Record<string, string>> = {
  ...{ D: 'detail', H: 'hint', P: 'at', W: 'where', s: 'schema', t: 'table', c: 'column', d: 'type', n: 'constraint' },
}
