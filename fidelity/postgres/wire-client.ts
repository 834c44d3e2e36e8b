import { connect, type Socket } from 'node:net'
import type { Answer } from './target.ts'

/** One connection to a real server: simple queries in protocol version 3, and every field of what comes back. */
export class WireClient {
  private readonly socket: Socket
  private buffer = Buffer.alloc(0)
  private answers: Answer[] = []
  private done: ((answers: Answer[]) => void) | null = null
  private rows: (string | null)[][] = []
  private columns: [name: string, typeOid: number][] = []
  private notes: string[] = []
  processId = 0
  status = 'I'

  private constructor(socket: Socket) {
    this.socket = socket
    socket.on('data', (chunk: Buffer) => {
      this.buffer = Buffer.concat([this.buffer, chunk])
      this.read()
    })
  }

  static async open(port: number): Promise<WireClient> {
    const socket = connect(port, '127.0.0.1')
    socket.setNoDelay(true)
    await new Promise<void>((resolve, reject) => {
      socket.once('connect', resolve)
      socket.once('error', reject)
    })
    const client = new WireClient(socket)
    const ready = new Promise<Answer[]>((resolve) => {
      client.done = resolve
    })
    const words = Buffer.from('user\0postgres\0database\0postgres\0\0')
    const head = Buffer.alloc(8)
    head.writeInt32BE(8 + words.length, 0)
    head.writeInt32BE(196608, 4)
    socket.write(Buffer.concat([head, words]))
    await ready
    return client
  }

  /** Resolves to what each statement of the text came to. */
  query(sql: string): Promise<Answer[]> {
    this.answers = []
    this.notes = []
    const text = Buffer.from(`${sql}\0`)
    const head = Buffer.alloc(5)
    head.write('Q', 0)
    head.writeInt32BE(4 + text.length, 1)
    this.socket.write(Buffer.concat([head, text]))
    return new Promise((resolve) => {
      this.done = resolve
    })
  }

  close(): void {
    this.socket.destroy()
  }

  private read(): void {
    while (this.buffer.length >= 5) {
      const length = this.buffer.readInt32BE(1)
      if (this.buffer.length < length + 1) return
      const kind = String.fromCharCode(this.buffer[0]!)
      const body = this.buffer.subarray(5, length + 1)
      this.buffer = this.buffer.subarray(length + 1)
      this.take(kind, body)
    }
  }

  private take(kind: string, body: Buffer): void {
    switch (kind) {
      case 'K':
        this.processId = body.readInt32BE(0)
        break
      case 'T':
        this.columns = readColumns(body)
        this.rows = []
        break
      case 'D':
        this.rows.push(readRow(body))
        break
      case 'C':
        this.answers.push({ tag: cString(body, 0), columns: this.columns, rows: this.rows, notes: this.notes })
        this.columns = []
        this.rows = []
        this.notes = []
        break
      case 'E':
        this.answers.push({ error: readFields(body), notes: this.notes })
        this.columns = []
        this.rows = []
        this.notes = []
        break
      case 'N': {
        const fields = readFields(body)
        this.notes.push(`${fields.S} ${fields.C} ${fields.M}`)
        break
      }
      case 'Z': {
        this.status = String.fromCharCode(body[0]!)
        const done = this.done
        this.done = null
        done?.(this.answers)
        break
      }
      default:
    }
  }
}

function cString(body: Buffer, from: number): string {
  return body.toString('utf8', from, body.indexOf(0, from))
}

/** All fields but those that name PostgreSQL's own sources, and the severity that is said twice. */
function readFields(body: Buffer): Record<string, string> {
  const fields: Record<string, string> = {}
  for (let at = 0; body[at] !== 0; ) {
    const name = String.fromCharCode(body[at]!)
    const value = cString(body, at + 1)
    at += 2 + Buffer.byteLength(value)
    if (!'FLRV'.includes(name)) fields[name] = value
  }
  return fields
}

function readColumns(body: Buffer): [string, number][] {
  const columns: [string, number][] = []
  let at = 2
  for (let i = 0; i < body.readInt16BE(0); i++) {
    const name = cString(body, at)
    at += Buffer.byteLength(name) + 1
    columns.push([name, body.readInt32BE(at + 6)])
    at += 18
  }
  return columns
}

function readRow(body: Buffer): (string | null)[] {
  const values: (string | null)[] = []
  let at = 2
  for (let i = 0; i < body.readInt16BE(0); i++) {
    const length = body.readInt32BE(at)
    at += 4
    values.push(length < 0 ? null : body.toString('utf8', at, at + length))
    at += Math.max(0, length)
  }
  return values
}
