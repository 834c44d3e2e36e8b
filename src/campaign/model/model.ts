/**
 * A new simulated server that executes a run's commands at the times of the run, without a world
 * around it.
 */

import type { Database, RedisConnection } from 'redis-sim'
import { RedisServer } from 'redis-sim'
import { encodeCommand } from 'redis-sim/resp'

export class Model {
  /** Microseconds since the Unix epoch. */
  nowUs = 0
  /** The first requested feature that is not simulated; null if there was none. */
  unsupported: string | null = null
  readonly server: RedisServer
  readonly #clients = new Map<number, { connection: RedisConnection; written: string[] }>()
  #drawn = 1

  constructor() {
    this.server = new RedisServer({
      nowUs: () => this.nowUs,
      // Random numbers are only used for names, because commands with random results are not
      // replayed.
      random: (n) => (this.#drawn = (this.#drawn * 48_271) % 0x7fffffff) % n,
      schedule: () => () => {},
      unsupported: (what) => {
        this.unsupported ??= what
      },
    })
  }

  connect(client: number): void {
    const written: string[] = []
    const connection = this.server.connect({ write: (bytes) => void written.push(bytes), close() {} })
    this.#clients.set(client, { connection, written })
  }

  close(client: number): void {
    this.#clients.get(client)?.connection.close()
    this.#clients.delete(client)
  }

  /** Executes a command. Returns the reply. `none`: why there is not exactly one reply. */
  execute(client: number, args: readonly string[]): { readonly reply: string } | { readonly none: string } {
    const { connection, written } = this.#clients.get(client)!
    connection.receive(encodeCommand(args))
    const [reply, ...more] = written.splice(0)
    const elsewhere = [...this.#clients.values()].some((other) => other.written.length > 0)
    if (this.unsupported !== null) return { none: 'commands that are not simulated' }
    if (connection.isBlocked) return { none: 'commands that block' }
    if (this.server.longScript !== null) return { none: 'a long script' }
    if (reply === undefined || more.length > 0 || elsewhere) return { none: 'unsolicited messages' }
    return { reply }
  }

  database(client: number): Database {
    return this.#clients.get(client)!.connection.session.database
  }

  /**
   * The full names of all commands, including those called by scripts, that are executed during
   * `work`.
   */
  namesDuring<T>(work: () => T): { readonly names: readonly string[]; readonly result: T } {
    const before = new Map(this.server.commandCounts.called())
    const result = work()
    const after = this.server.commandCounts.called()
    return { names: after.flatMap(([name, calls]) => (calls > (before.get(name) ?? 0) ? [name] : [])), result }
  }

  /** True for a client between MULTI and EXEC. */
  isQueueing(client: number): boolean {
    return this.#clients.get(client)!.connection.session.queue !== null
  }

  get nowMs(): number {
    return Math.floor(this.nowUs / 1000)
  }
}
