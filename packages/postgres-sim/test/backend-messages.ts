/** Splits server messages and removes the parts that differ between any two servers. */
import { BodyReader } from '../src/wire/body-reader.ts'

/** The type of a message and its body as readable text. */
export type Response = string

export class BackendReader {
  #unread = ''

  feed(bytes: string): Response[] {
    this.#unread += bytes
    const responses: Response[] = []
    for (;;) {
      // The answer to SSLRequest has no length field.
      if (this.#unread[0] === 'N' && (this.#unread.length === 1 || this.#unread.charCodeAt(1) !== 0)) {
        this.#unread = this.#unread.slice(1)
        responses.push('N')
        continue
      }
      if (this.#unread.length < 5) return responses
      const length = new BodyReader(this.#unread.slice(1, 5)).int32()
      if (this.#unread.length < 1 + length) return responses
      responses.push(comparable(this.#unread[0]!, this.#unread.slice(5, 1 + length)))
      this.#unread = this.#unread.slice(1 + length)
    }
  }
}

function comparable(type: string, body: string): Response {
  if (type === 'K') return 'K'
  if (type === 'E' || type === 'N') return `${type} ${reportedIn(body).join(' ')}`
  if (type === 'T') return `T ${fieldsIn(body)}`
  // The minor version is removed, because Debian may ship a later one.
  if (type === 'S') return `S ${JSON.stringify(body.replace(/^(server_version\0\d+)\..*\0$/, '$1\0'))}`
  // The process id of the sender is removed.
  if (type === 'A') return `A ${JSON.stringify(body.slice(4))}`
  return `${type} ${JSON.stringify(body)}`
}

/** The fields of an error without the position in PostgreSQL's sources. */
function reportedIn(body: string): string[] {
  const fields = body.split('\0').filter((field) => field !== '')
  return fields.filter((field) => !/^[FLR]/.test(field))
}

/**
 * The fields of RowDescription. Oids of tables are masked, because they differ between databases.
 */
function fieldsIn(body: string): string {
  const reader = new BodyReader(body)
  const fields = reader.list(() => {
    const name = reader.text()
    const isOfTable = reader.int32() !== 0
    const numbers = [reader.int16(), reader.int32(), reader.int16(), reader.int32(), reader.int16()]
    return `${name} ${isOfTable} ${numbers.join(' ')}`
  })
  return fields.join(', ')
}
