export interface HttpRequest {
  readonly method: string
  readonly path: string
  /** The version of HTTP, for example `1.1`. */
  readonly version: string
  /** Header values by lower-case names. The values of a repeated header are joined by commas. */
  readonly headers: Readonly<Record<string, string>>
  /** Latin1 text: one character per byte. */
  readonly body: string
}

/** Returned if the bytes are not a valid request. The connection ends after this status. */
export interface BrokenRequest {
  readonly status: 400 | 413
}

/** "The request must not be larger than 16 MB" (API reference, BatchWriteItem). */
const largestBody = 16 * 1024 * 1024
const largestHead = 64 * 1024

const broken: BrokenRequest = { status: 400 }

/**
 * Parses HTTP/1.1 requests (RFC 9112) from the bytes of one connection, with content-length or
 * chunked encoding.
 */
export class HttpRequestParser {
  #bytes = ''
  #head: Omit<HttpRequest, 'body'> | null = null

  /** Adds bytes as a latin1 string. */
  feed(bytes: string): void {
    this.#bytes += bytes
  }

  /** Number of bytes that do not form a complete request yet. */
  get unparsedBytes(): number {
    return this.#bytes.length
  }

  /** The next complete request; null if more bytes are needed. */
  next(): HttpRequest | BrokenRequest | null {
    if (this.#head === null) {
      const end = this.#bytes.indexOf('\r\n\r\n')
      if (end === -1) return this.#bytes.length > largestHead ? broken : null
      const head = parseHead(this.#bytes.slice(0, end))
      if (head === null) return broken
      this.#head = head
      this.#bytes = this.#bytes.slice(end + 4)
    }
    const head = this.#head
    const body = this.#body(head.headers)
    if (body === null) return null
    if (typeof body !== 'string') return body
    this.#head = null
    return { ...head, body }
  }

  #body(headers: HttpRequest['headers']): string | BrokenRequest | null {
    const encoding = headers['transfer-encoding']
    if (encoding !== undefined) return encoding.toLowerCase() === 'chunked' ? this.#chunks() : broken
    const length = headers['content-length'] ?? '0'
    if (!/^\d+$/.test(length)) return broken
    return Number(length) > largestBody ? { status: 413 } : this.#taken(Number(length))
  }

  #taken(length: number): string | null {
    if (this.#bytes.length < length) return null
    const taken = this.#bytes.slice(0, length)
    this.#bytes = this.#bytes.slice(length)
    return taken
  }

  /**
   * The body of a chunked request; null until the last chunk was received. Trailers are ignored.
   */
  #chunks(): string | BrokenRequest | null {
    let at = 0
    let body = ''
    for (;;) {
      const lineEnd = this.#bytes.indexOf('\r\n', at)
      if (lineEnd === -1) return null
      const size = /^([0-9a-f]{1,8})(?:;.*)?$/i.exec(this.#bytes.slice(at, lineEnd))
      if (size === null) return broken
      const length = Number.parseInt(size[1]!, 16)
      if (length === 0) return this.#endOfChunks(lineEnd + 2, body)
      if (body.length + length > largestBody) return { status: 413 }
      at = lineEnd + 2 + length + 2
      if (this.#bytes.length < at) return null
      body += this.#bytes.slice(lineEnd + 2, at - 2)
    }
  }

  #endOfChunks(trailerAt: number, body: string): string | null {
    let at = trailerAt
    for (;;) {
      const lineEnd = this.#bytes.indexOf('\r\n', at)
      if (lineEnd === -1) return null
      const isLast = lineEnd === at
      at = lineEnd + 2
      if (!isLast) continue
      this.#bytes = this.#bytes.slice(at)
      return body
    }
  }
}

function parseHead(head: string): Omit<HttpRequest, 'body'> | null {
  const [first, ...lines] = head.split('\r\n')
  const start = /^([A-Z]+) (\S+) HTTP\/(1\.[01])$/.exec(first!)
  if (start === null) return null
  const headers: Record<string, string> = {}
  for (const line of lines) {
    const field = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*(.*?)[ \t]*$/.exec(line)
    if (field === null) return null
    const name = field[1]!.toLowerCase()
    headers[name] = Object.hasOwn(headers, name) ? `${headers[name]},${field[2]}` : field[2]!
  }
  return { method: start[1]!, path: start[2]!, version: start[3]!, headers }
}
