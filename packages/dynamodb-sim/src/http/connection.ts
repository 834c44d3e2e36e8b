import assert from 'node:assert/strict'
import type { Tables } from '../tables.ts'
import { type BrokenRequest, type HttpRequest, HttpRequestParser } from './request-parser.ts'
import { respond, responseBytes } from './response.ts'

/** The client's end of a connection, implemented by the owner of the network. */
export interface HttpPeer {
  /** Sends response bytes as a latin1 string, in order. */
  write(bytes: string): void
  /** Called when the server closed the connection. */
  close(): void
}

/** One persistent client connection: bytes in, one request for each `step`, bytes out. */
export class HttpConnection {
  readonly #parser = new HttpRequestParser()
  #queue: (HttpRequest | BrokenRequest)[] = []
  #closed = false

  constructor(
    private readonly tables: Tables,
    private readonly peer: HttpPeer,
  ) {}

  /** Number of received requests without an answer. */
  get pending(): number {
    return this.#queue.length
  }

  /** The next request; null if none was received, or if its bytes are not a valid request. */
  get next(): HttpRequest | null {
    const request = this.#queue[0]
    return request === undefined || 'status' in request ? null : request
  }

  get unparsedBytes(): number {
    return this.#parser.unparsedBytes
  }

  get isClosed(): boolean {
    return this.#closed
  }

  feed(bytes: string): void {
    if (this.#closed) return
    assert(!beyondBytes.test(bytes), 'a client sends bytes')
    this.#parser.feed(bytes)
    for (;;) {
      const request = this.#parser.next()
      if (request === null) return
      this.#queue.push(request)
      if ('status' in request) return
    }
  }

  /** Answers the next request; false if no request waits. */
  step(): boolean {
    const request = this.#queue.shift()
    if (this.#closed || request === undefined) return false
    if ('status' in request) {
      this.peer.write(responseBytes(request.status, { Connection: 'close' }, ''))
      this.#hangUp()
    } else {
      this.peer.write(respond(this.tables, request))
      if (isLast(request)) this.#hangUp()
    }
    return true
  }

  /** Feeds bytes, then answers all complete requests. */
  receive(bytes: string): void {
    this.feed(bytes)
    while (this.step());
  }

  /** Called when the client disconnected: no further requests are answered. */
  close(): void {
    this.#closed = true
    this.#queue = []
  }

  #hangUp(): void {
    assert(!this.#closed, 'the server hangs up once')
    this.close()
    this.peer.close()
  }
}

const beyondBytes = /[^\x00-\xff]/

/**
 * True if the connection ends after this request. HTTP/1.1 connections persist unless one end
 * requests otherwise (RFC 9112, 9.3).
 */
function isLast({ version, headers }: HttpRequest): boolean {
  const said = (headers.connection ?? '').toLowerCase()
  return version === '1.0' ? said !== 'keep-alive' : said === 'close'
}
