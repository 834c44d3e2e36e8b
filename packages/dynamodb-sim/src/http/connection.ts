import assert from 'node:assert/strict'
import type { Tables } from '../tables.ts'
import { type BrokenRequest, type HttpRequest, HttpRequestParser } from './request-parser.ts'
import { respond, responseBytes } from './response.ts'

/** The other end of a connection, as the owner of the network gives it. */
export interface HttpPeer {
  /** Bytes of responses as a latin1 string, in order. */
  write(bytes: string): void
  /** The server hangs up. */
  close(): void
}

/**
 * One client's connection: bytes in, requests one by one when `step` says so, bytes out. It is kept
 * open.
 */
export class HttpConnection {
  readonly #parser = new HttpRequestParser()
  #queue: (HttpRequest | BrokenRequest)[] = []
  #closed = false

  constructor(
    private readonly tables: Tables,
    private readonly peer: HttpPeer,
  ) {}

  /** Requests that have come and are not answered. */
  get pending(): number {
    return this.#queue.length
  }

  /** The request that comes next; null where none has come. */
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

  /** Answers the next request; false where there is none. */
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

  /** feed, then step until nothing is left to do. */
  receive(bytes: string): void {
    this.feed(bytes)
    while (this.step());
  }

  /** The peer went away: nothing is answered any more. */
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

/** RFC 9112, 9.3: connections of HTTP/1.1 persist unless one end says otherwise. */
function isLast({ version, headers }: HttpRequest): boolean {
  const said = (headers.connection ?? '').toLowerCase()
  return version === '1.0' ? said !== 'keep-alive' : said === 'close'
}
