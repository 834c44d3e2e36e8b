/**
 * Parses PostgreSQL's protocol (3.0) on a client's socket: the statements that are sent, and the
 * ends of answers. Both parsers accept bytes in arbitrary pieces (PostgreSQL 15, chapter 55).
 */
import type { Statement } from '../../run/statement-subject.ts'

/** A part of a write that is sent at once. */
export interface Part {
  /** The statements that the server is asked to execute. A simple query counts as one statement. */
  readonly statements: readonly Statement[]
  /** True if the server sends ReadyForQuery once it has processed everything up to here. */
  readonly closes: boolean
  /**
   * True if the part is a simple query. It is executed even if its transaction has failed, and
   * fails then.
   */
  readonly isSimple: boolean
  /** True if the part contains the client's Terminate message. */
  readonly ends: boolean
  /** The offset after the part's last byte in the given bytes. */
  readonly end: number
}

/** One message. `end`: as in `Part`. */
interface Message {
  readonly type: string
  readonly body: Buffer
  readonly end: number
}

/**
 * Codes that a client sends instead of a protocol version: requests for TLS or GSSAPI, which are
 * answered by one byte, and a cancel request.
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
  /** The number of one-byte answers that are expected. */
  encryptionAsked = 0

  /**
   * Splits the bytes into parts. Each part except the last ends a unit that the server answers as a
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
  /** The answer as text for reports: the tag of its last statement, or the error. */
  readonly shown: string
  /**
   * The reply in RESP, as in the simulator: the rows of the first statement, its tag if it returns
   * no rows, or the error.
   */
  readonly reply: string
  /**
   * True if the open transaction has failed, so that nothing is executed until it is rolled back.
   */
  readonly failed: boolean
  /** The code and message of an error; null if there was none. */
  readonly error: string | null
  /** True if no transaction is open after the answer. */
  readonly idle: boolean
  /** True if the transaction has neither failed nor been rolled back. */
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
  /** The reply to the first finished statement, for `Answered.reply`. */
  #first: string | null = null

  constructor(private readonly client: Pick<ClientReader, 'encryptionAsked'>) {}

  take(bytes: Buffer): Answered[] {
    const answers: Answered[] = []
    let from = 0
    // One byte answers a request for encryption. The servers of live runs refuse encryption.
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
        // After such an error, only the end of the connection follows.
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

/** 'E' in ReadyForQuery: the transaction has failed. */
const failedStatus = 69

/** The reply with one character for each byte. */
function replyOf(tag: string, rows: (string | null)[][] | null): string {
  if (rows === null) return `+${oneLine(tag)}\r\n`
  return rows.length === 0 ? '$-1\r\n' : listOf(rows.map((row) => listOf(row.map(textOf))))
}

const listOf = (items: readonly string[]): string => `*${items.length}\r\n${items.join('')}`

const textOf = (text: string | null): string => (text === null ? '$-1\r\n' : `$${text.length}\r\n${text}\r\n`)

const oneLine = (text: string): string => Buffer.from(text.replace(/\s+/g, ' ')).toString('latin1')

/** The code and message of an error. */
function errorOf(body: Buffer): string {
  return `${fieldOf(body, 'C')} ${fieldOf(body, 'M')}`
}

/** True if the error ends the session. Reads the severity field that is never translated. */
function endsSession(body: Buffer): boolean {
  return ['FATAL', 'PANIC'].includes(fieldOf(body, 'V'))
}

/** The field of an error with that type code. */
function fieldOf(body: Buffer, sign: string): string {
  const fields = body.toString('utf8').split('\0')
  return fields.find((one) => one.startsWith(sign))?.slice(1) ?? ''
}
