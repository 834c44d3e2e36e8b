import type { RedisConfig } from '../src/config.ts'
import type { RedisConnection } from '../src/connection.ts'
import type { RedisEnvironment } from '../src/environment.ts'
import { encodeCommand } from '../src/resp/encode-command.ts'
import { RedisServer } from '../src/server.ts'

/** A server whose clock and timers a test controls. */
export class ServerByHand {
  nowUs = 1_700_000_000_000_000
  readonly unsupported: string[] = []
  readonly server: RedisServer
  private timers: { readonly atUs: number; readonly callback: () => void }[] = []

  constructor(config: Partial<RedisConfig> = {}, hooks: Partial<RedisEnvironment> = {}) {
    let drawn = 0
    this.server = new RedisServer(
      {
        nowUs: () => this.nowUs,
        random: (n) => drawn++ % n,
        schedule: (delayUs, callback) => {
          const timer = { atUs: this.nowUs + delayUs, callback }
          this.timers.push(timer)
          return () => {
            this.timers = this.timers.filter((other) => other !== timer)
          }
        },
        unsupported: (what) => this.unsupported.push(what),
        ...hooks,
      },
      config,
    )
  }

  get timersWaiting(): number {
    return this.timers.length
  }

  client(): ClientByHand {
    return new ClientByHand(this.server)
  }

  pass(ms: number): void {
    const untilUs = this.nowUs + ms * 1000
    for (;;) {
      const due = this.timers.filter((timer) => timer.atUs <= untilUs).sort((a, b) => a.atUs - b.atUs)[0]
      if (due === undefined) break
      this.timers = this.timers.filter((other) => other !== due)
      this.nowUs = due.atUs
      due.callback()
    }
    this.nowUs = untilUs
  }
}

export class ClientByHand {
  written = ''
  closedByServer = false
  readonly connection: RedisConnection

  constructor(server: RedisServer) {
    this.connection = server.connect({
      write: (bytes) => {
        this.written += bytes
      },
      close: () => {
        this.closedByServer = true
      },
    })
  }

  /** Sends bytes, and returns the bytes of the replies. */
  raw(bytes: string): string {
    this.connection.receive(bytes)
    return this.taken()
  }

  /** Sends a command, split at blanks. */
  run(text: string): string {
    return this.raw(encode(text))
  }

  taken(): string {
    const { written } = this
    this.written = ''
    return written
  }
}

export function encode(text: string): string {
  return encodeCommand(text.split(' '))
}
