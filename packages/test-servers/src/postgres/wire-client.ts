import { ServerGone } from '../server-gone.ts'
import { noteText } from './note-text.ts'
import { type Login, superuser, WireConnection, type WireMessage } from './wire-connection.ts'

/** The result of a statement, with every field that clients read. */
export type Answer =
  | {
      readonly tag: string
      readonly columns: readonly (readonly [name: string, typeOid: number])[]
      readonly rows: readonly (readonly (string | null)[])[]
      readonly notes: readonly string[]
    }
  | { readonly error: Readonly<Record<string, string>>; readonly notes: readonly string[] }

/**
 * One connection to a real server. It sends simple queries (protocol 3) and returns all fields of
 * the answers.
 */
export class WireClient {
  private answers: Answer[] = []
  private done: ((answers: Answer[]) => void) | null = null
  private failed: () => void = () => {}
  private isOver = false
  private rows: (string | null)[][] = []
  private columns: [name: string, typeOid: number][] = []
  private notes: string[] = []
  processId = 0
  status = 'I'

  private constructor(private readonly connection: WireConnection) {}

  static async open(port: number, login: Login = superuser): Promise<WireClient> {
    const connection = await WireConnection.open(port, login)
    const client = new WireClient(connection)
    const ready = client.answer()
    connection.listen(
      (message) => client.take(message),
      () => {
        client.isOver = true
        client.failed()
      },
    )
    await ready
    return client
  }

  /**
   * Resolves to the result of each statement in the text.
   * @throws ServerGone
   */
  query(sql: string): Promise<Answer[]> {
    this.answers = []
    this.notes = []
    this.connection.send([{ type: 'Q', body: Buffer.from(`${sql}\0`) }])
    return this.answer()
  }

  private answer(): Promise<Answer[]> {
    return new Promise((resolve, reject) => {
      this.done = resolve
      this.failed = () => reject(new ServerGone('the real PostgreSQL closed the connection'))
      if (this.isOver) this.failed()
    })
  }

  close(): void {
    this.connection.destroy()
  }

  private take({ type, body }: WireMessage): void {
    switch (type) {
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
        const { S, C, M, D, H } = readFields(body)
        this.notes.push(noteText(S, C, M, D, H))
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

/**
 * All fields of an error or notice, except those about PostgreSQL's source code and the repeated
 * severity.
 */
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
