/** A connection for ioredis without a server: a function answers every write at once. */
import { Duplex } from 'node:stream'
import { AbstractConnector, type RedisOptions } from 'ioredis'

/** The length of one write of a client, and the reply to it. */
export interface Exchange {
  readonly requestBytes: number
  readonly reply: Buffer
}

/** Answers the writes of one connection, one after another. */
export type Answer = (request: Buffer) => Buffer

export class CannedStream extends Duplex {
  readonly #answer: Answer

  constructor(answer: Answer) {
    super({ allowHalfOpen: false })
    this.#answer = answer
  }

  setNoDelay(): this {
    return this
  }

  setKeepAlive(): this {
    return this
  }

  setTimeout(): this {
    return this
  }

  override _read(): void {}

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    const reply = this.#answer(chunk)
    // The reply is pushed after the write has returned.
    process.nextTick(() => void (this.destroyed || this.push(reply)))
    done()
  }

  override _final(done: () => void): void {
    this.push(null)
    done()
  }
}

type Connector = NonNullable<RedisOptions['Connector']>

/** A class of connectors. Each new connection gets its answers from `open`. */
export function cannedConnector(open: () => Answer): Connector {
  return class extends AbstractConnector {
    declare stream: never

    constructor() {
      super(0)
    }

    override async connect(): Promise<never> {
      this.connecting = true
      this.stream = new CannedStream(open()) as never
      return this.stream
    }
  } as unknown as Connector
}
