import type { Connection } from 'virtual-node/network'
import type { VirtualProcess } from 'virtual-node/runtime'

/**
 * Tracks the connections of consumers to one server: data received before the first command, and
 * the end of the connection. Both are steps of a schedule.
 */
export class Handshakes {
  /**
   * Connections on which a command has been sent. Everything before the command was the client's
   * handshake.
   */
  readonly #done = new WeakSet<Connection>()
  /** Connections of a process to the server, in the order in which they were begun. */
  readonly #begun = new WeakMap<VirtualProcess, Connection[]>()
  /** Connections on which data was received. */
  readonly #heard = new WeakSet<Connection>()

  /** Connections whose processes know that they have ended. */
  readonly #over = new WeakSet<Connection>()

  begins(connection: Connection): void {
    const before = this.#begun.get(connection.process)
    if (before === undefined) this.#begun.set(connection.process, [connection])
    else before.push(connection)
  }

  commandLeaves(connection: Connection): void {
    this.#done.add(connection)
  }

  isOver(connection: Connection): boolean {
    return this.#done.has(connection)
  }

  hears(connection: Connection): void {
    this.#heard.add(connection)
  }

  /** Records that the process knows of the end of the connection. False if it already knew. */
  ends(connection: Connection): boolean {
    if (this.#over.has(connection)) return false
    this.#over.add(connection)
    return true
  }

  /** See `Runner.heard`. */
  numberOf(connection: Connection): number {
    const all = this.#begun.get(connection.process)!
    const before = all.slice(0, all.indexOf(connection))
    return 1 + before.filter((one) => this.#heard.has(one) || one.state !== 'closed').length
  }
}
