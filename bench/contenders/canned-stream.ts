/**
 * What ioredis takes for a connection, with nothing behind it: every write is answered by bytes
 * that are there already.
 */
import { Duplex } from 'node:stream'
import { AbstractConnector, type RedisOptions } from 'ioredis'

/** One write of a client, and what came back. */
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
    // A reply never comes before the write is over.
    process.nextTick(() => void (this.destroyed || this.push(reply)))
    done()
  }

  override _final(done: () => void): void {
    this.push(null)
    done()
  }
}

type Connector = NonNullable<RedisOptions['Connector']>

/** A class of connectors; each connection that is made asks `open` who answers it. */
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
