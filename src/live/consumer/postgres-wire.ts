/**
 * Parses PostgreSQL's protocol (3.0) on a client's socket: the statements that leave, and the ends
 * of answers. Both parsers accept arbitrary pieces (PostgreSQL 15, chapter 55).
 */
import type { Statement } from '../../run/statement-subject.ts'

/** A part of a write that leaves at once. */
export interface Part {
  /** Statements that the server is asked to execute. A simple query counts as one statement. */
  readonly statements: readonly Statement[]
  /** The server sends ReadyForQuery once it has processed everything up to here. */
  readonly closes: boolean
  /** It is a simple query. It is executed even if its transaction has failed, and fails then. */
  readonly isSimple: boolean
  /** It has the Terminate message of the client. */
  readonly ends: boolean
  /** The end of its last byte in the given bytes, exclusive. */
  readonly end: number
}

/** One message. `end` is that of `Part`. */
interface Message {
  readonly type: string
  readonly body: Buffer
  readonly end: number
}

/**
 * Codes instead of a version: a request for TLS or GSSAPI, answered by one byte, or a cancel
 * request.
 */
const encryption = new Set([80_877_103, 80_877_104])
const cancels = 80_877_102

/** Splits bytes into messages. The messages by which a client opens a connection have no type. */
class Messages {
  #rest: Buffer = Buffer.alloc(0)

  take(bytes: Buffer, typed: () => boolean, one: (message: Message) => void): void {
    const before = this.#rest.length
    const all = Buffer.concat([this.#rest, bytes])
    let at = 0
    for (;;) {
      const head = typed() ? 1 : 0
      if (all.length < at + head + 4) break
      const end = at + head + all.readInt32BE(at + head)
      if (end > all.length) break
      const type = head === 1 ? String.fromCharCode(all[at]!) : ''
      one({ type, body: all.subarray(at + head + 4, end), end: end - before })
      at = end
    }
    this.#rest = all.subarray(at)
  }
}

/** Parses the client's messages on one connection. */
export class ClientReader {
  readonly #messages = new Messages()
  readonly #statements = new Map<string, string>()
  readonly #portals = new Map<string, Statement>()
  #begun = false
  /** How many one-byte answers are expected. */
  encryptionAsked = 0

  /**
   * Splits the bytes into parts. Each except the last ends a unit that the server answers as a
   * whole.
   */
  take(bytes: Buffer): Part[] {
    const parts: Part[] = []
    let statements: Statement[] = []
    const close = (end: number, closes: boolean, type = ''): void => {
      parts.push({ statements, closes, isSimple: type === 'Q', ends: type === 'X', end })
      statements = []
    }
    this.#messages.take(
      bytes,
      () => this.#begun,
      ({ type, body, end }) => {
        const statement = this.#statementOf(type, body)
        if (statement !== null) statements.push(statement)
        const begins = type === '' && this.#begins(body)
        if (begins || type === 'Q' || type === 'S') close(end, true, type)
        if (type === 'X') close(end, false, type)
      },
    )
    if ((parts.at(-1)?.end ?? 0) < bytes.length) close(bytes.length, false)
    return parts
  }

  #begins(body: Buffer): boolean {
    const version = body.readInt32BE(0)
    if (encryption.has(version)) this.encryptionAsked++
    this.#begun = !encryption.has(version) && version !== cancels
    return this.#begun
  }

  #statementOf(type: string, body: Buffer): Statement | null {
    const fields = new Fields(body)
    if (type === 'Q') return { text: fields.text(), parameters: [] }
    if (type === 'P') this.#statements.set(fields.text(), fields.text())
    if (type === 'B') {
      const portal = fields.text()
      const text = this.#statements.get(fields.text()) ?? ''
      const formats = fields.list(() => fields.int16())
      const parameters = fields.list(() => fields.value())
      // A binary parameter is not text and is left out.
      const isBinary = (at: number) => (formats.length === 1 ? formats[0] : formats[at]) === 1
      this.#portals.set(portal, { text, parameters: parameters.filter((_, at) => !isBinary(at)) })
    }
    return type === 'E' ? (this.#portals.get(fields.text()) ?? null) : null
  }
}

class Fields {
  #at = 0

  constructor(private readonly body: Buffer) {}

  text(): string {
    const end = this.body.indexOf(0, this.#at)
    const text = this.body.toString('utf8', this.#at, end)
    this.#at = end + 1
    return text
  }

  int16(): number {
    this.#at += 2
    return this.body.readInt16BE(this.#at - 2)
  }

  list<T>(read: (fields: this) => T): T[] {
    return Array.from({ length: this.int16() }, () => read(this))
  }

  value(encoding: BufferEncoding = 'utf8'): string | null {
    const length = this.body.readInt32BE(this.#at)
    this.#at += 4
    if (length === -1) return null
    this.#at += length
    return this.body.toString(encoding, this.#at - length, this.#at)
  }
}

/** An answer of the server up to ReadyForQuery or the end of the session. */
export interface Answered {
  /** For people: the tag of its last statement, or the error. */
  readonly shown: string
  /**
   * In RESP, as in the simulator: the rows of its first statement, its tag if it returns no rows,
   * or the error.
   */
  readonly reply: string
  /** The open transaction has failed. Nothing is executed until it is rolled back. */
  readonly failed: boolean
  /** The code and message of an error; null if there was none. */
  readonly error: string | null
  /** No transaction is open after it. */
  readonly idle: boolean
  /** The transaction has neither failed nor been rolled back. */
  readonly committed: boolean
  readonly end: number
}

/** Parses the server's messages on one connection. */
export class ServerReader {
  readonly #messages = new Messages()
  #tag = ''
  #error: string | null = null
  /** The rows of the current statement; null if it returns none. */
  #rows: (string | null)[][] | null = null
  /** The reply to the first finished statement: see `Answered.reply`. */
  #first: string | null = null

  constructor(private readonly client: Pick<ClientReader, 'encryptionAsked'>) {}

  take(bytes: Buffer): Answered[] {
    const answers: Answered[] = []
    let from = 0
    // One byte answers a request for encryption. The servers here refuse it.
    while (this.client.encryptionAsked > 0 && from < bytes.length) {
      this.client.encryptionAsked--
      from++
    }
    this.#messages.take(
      bytes.subarray(from),
      () => true,
      ({ type, body, end }) => {
        if (type === 'T') this.#rows = []
        if (type === 'D') this.#rows?.push(new Fields(body).list((fields) => fields.value('latin1')))
        if (type === 'C') {
          this.#tag = body.toString('utf8', 0, body.length - 1)
          this.#first ??= replyOf(this.#tag, this.#rows)
        }
        if (type === 'E') this.#error = errorOf(body)
        // Only the end of the connection follows it.
        const isLast = type === 'E' && endsSession(body)
        if (type !== 'Z' && !isLast) return
        const error = this.#error
        answers.push({
          error,
          shown: error === null ? this.#tag : `(error) ${error}`,
          reply: this.#first ?? (error === null ? replyOf(this.#tag, null) : `-${oneLine(error)}\r\n`),
          failed: type === 'Z' && body[0] === failedStatus,
          idle: type === 'Z' && body[0] === 73,
          committed: error === null && this.#tag !== 'ROLLBACK',
          end: end + from,
        })
        this.#tag = ''
        this.#error = null
        this.#rows = null
        this.#first = null
      },
    )
    return answers
  }
}

/** 'E' in ReadyForQuery. */
const failedStatus = 69

/** One character a byte. */
function replyOf(tag: string, rows: (string | null)[][] | null): string {
  if (rows === null) return `+${oneLine(tag)}\r\n`
  return rows.length === 0 ? '$-1\r\n' : listOf(rows.map((row) => listOf(row.map(textOf))))
}

const listOf = (items: readonly string[]): string => `*${items.length}\r\n${items.join('')}`

const textOf = (text: string | null): string => (text === null ? '$-1\r\n' : `$${text.length}\r\n${text}\r\n`)

const oneLine = (text: string): string => Buffer.from(text.replace(/\s+/g, ' ')).toString('latin1')

/** Code and message. */
function errorOf(body: Buffer): string {
  return `${fieldOf(body, 'C')} ${fieldOf(body, 'M')}`
}

/** Uses the severity field that is never translated. */
function endsSession(body: Buffer): boolean {
  return ['FATAL', 'PANIC'].includes(fieldOf(body, 'V'))
}

/** The field of an error with that type code. */
function fieldOf(body: Buffer, sign: string): string {
  const fields = body.toString('utf8').split('\0')
  return fields.find((one) => one.startsWith(sign))?.slice(1) ?? ''
}
