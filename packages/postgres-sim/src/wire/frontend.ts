/** Client messages of protocol 3.0, parsed from a byte stream (PostgreSQL 15, chapter 55.7). */
import { BodyReader, int32At } from './body-reader.ts'

/** Messages before a session begins. They have no type byte. */
export type FirstMessage =
  | { readonly kind: 'ssl-request' }
  | { readonly kind: 'gssenc-request' }
  | { readonly kind: 'cancel-request'; readonly processId: number; readonly secretKey: number }
  | { readonly kind: 'startup'; readonly parameters: Readonly<Record<string, string>> }
  | { readonly kind: 'other-protocol'; readonly major: number; readonly minor: number }

export interface ParseMessage {
  readonly kind: 'parse'
  readonly name: string
  readonly sql: string
  readonly parameterTypes: readonly number[]
}

export interface BindMessage {
  readonly kind: 'bind'
  readonly portal: string
  readonly statement: string
  /**
   * Formats of the parameters: 0 for text, 1 for binary. An empty list means text for all
   * parameters, and a single entry applies to all parameters; otherwise there is one entry per
   * parameter.
   */
  readonly parameterFormats: readonly number[]
  /** The bytes of each value; null for NULL. */
  readonly values: readonly (string | null)[]
  readonly resultFormats: readonly number[]
}

/** Names a statement (S) or a portal (P). */
export interface NamedMessage {
  readonly kind: 'describe' | 'close'
  readonly what: 'S' | 'P'
  readonly name: string
}

export interface ExecuteMessage {
  readonly kind: 'execute'
  readonly portal: string
  /** Maximum number of rows to return; 0 means all. */
  readonly maxRows: number
}

export type FrontendMessage =
  | FirstMessage
  | ParseMessage
  | BindMessage
  | { readonly kind: 'query'; readonly sql: string }
  | NamedMessage
  | ExecuteMessage
  | { readonly kind: 'flush' }
  | { readonly kind: 'sync' }
  | { readonly kind: 'terminate' }
  /** Copy data, function calls, and passwords that were not requested. */
  | { readonly kind: 'other'; readonly type: string }
  /** A message whose body does not match its type. */
  | { readonly kind: 'malformed'; readonly type: string; readonly why: string }

const sslRequestCode = 80_877_103
const gssencRequestCode = 80_877_104
const cancelRequestCode = 80_877_102

/** Splits the bytes of a client into messages. */
export class FrontendReader {
  #unread = ''
  /** True after the startup message. All later messages have a type byte. */
  #begun = false

  /** Returns the messages that are complete. */
  feed(bytes: string): readonly FrontendMessage[] {
    if (this.#unread !== '' || !this.#begun || bytes.length > longestKept) return this.#read(bytes)
    let messages = read.get(bytes)
    if (messages !== undefined) return messages
    messages = this.#read(bytes)
    // Bytes that end inside a message are not cached.
    if (this.#unread !== '') return messages
    if (read.size >= mostKept) read.clear()
    read.set(bytes, messages)
    return messages
  }

  #read(bytes: string): readonly FrontendMessage[] {
    const unread = this.#unread + bytes
    const messages: FrontendMessage[] = []
    let at = 0
    for (;;) {
      const body = at + (this.#begun ? 5 : 4)
      if (unread.length < body) break
      const end = body + Math.max(0, int32At(unread, body - 4) - 4)
      if (unread.length < end) break
      const message = whole(unread.slice(at, body - 4), unread.slice(body, end))
      if (message.kind === 'startup') this.#begun = true
      messages.push(message)
      at = end
    }
    this.#unread = unread.slice(at)
    return messages
  }
}

/**
 * Cache of parsed bytes for all runs, because each request is parsed twice, by the sender and the
 * receiver, and layers repeat their requests.
 */
const read = new Map<string, readonly FrontendMessage[]>()
const mostKept = 1000
const longestKept = 4096

function whole(type: string, body: string): FrontendMessage {
  const reader = new BodyReader(body)
  try {
    const message = type === '' ? first(reader) : typed(type, reader)
    if (!reader.isAtEnd && message.kind !== 'other') throw new Error('invalid message format')
    return message
  } catch (error) {
    return { kind: 'malformed', type, why: (error as Error).message }
  }
}

function first(reader: BodyReader): FirstMessage {
  const code = reader.int32()
  if (code === sslRequestCode) return { kind: 'ssl-request' }
  if (code === gssencRequestCode) return { kind: 'gssenc-request' }
  if (code === cancelRequestCode)
    return { kind: 'cancel-request', processId: reader.int32(), secretKey: reader.int32() }
  const [major, minor] = [code >> 16, code & 0xffff]
  const parameters: Record<string, string> = {}
  if (major !== 3 || minor !== 0) {
    while (!reader.isAtEnd) reader.byte()
    return { kind: 'other-protocol', major, minor }
  }
  for (let name = reader.text(); name !== ''; name = reader.text()) parameters[name] = reader.text()
  return { kind: 'startup', parameters }
}

function typed(type: string, reader: BodyReader): FrontendMessage {
  switch (type) {
    case 'Q':
      return { kind: 'query', sql: reader.text() }
    case 'P':
      return {
        kind: 'parse',
        name: reader.text(),
        sql: reader.text(),
        parameterTypes: reader.list(() => reader.int32()),
      }
    case 'B':
      return {
        kind: 'bind',
        portal: reader.text(),
        statement: reader.text(),
        parameterFormats: reader.list(() => reader.int16()),
        values: reader.list(() => {
          const length = reader.int32()
          return length === -1 ? null : reader.bytes(length)
        }),
        resultFormats: reader.list(() => reader.int16()),
      }
    case 'D':
    case 'C':
      return { kind: type === 'D' ? 'describe' : 'close', what: reader.byte() as 'S' | 'P', name: reader.text() }
    case 'E':
      return { kind: 'execute', portal: reader.text(), maxRows: reader.int32() }
    case 'H':
      return { kind: 'flush' }
    case 'S':
      return { kind: 'sync' }
    case 'X':
      return { kind: 'terminate' }
    default:
      return { kind: 'other', type }
  }
}
