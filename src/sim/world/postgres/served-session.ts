import type { Outcome, Session, Startup } from 'postgres-sim'
import type { ServerPeer, SessionListener, Step } from 'postgres-sim/wire'
import { ClientConnection } from 'postgres-sim/wire'
import type { ClientSide, ServerEnd } from 'virtual-node/network'
import type { PostgresNode } from './postgres-node.ts'

/**
 * Both ends of one connection where they meet: what the network is to the protocol, and the
 * protocol to the network.
 */
export class ServedSession implements ServerEnd, ServerPeer {
  readonly #client: ClientConnection
  /**
   * A client may have hung up on a server that stalls when what it had sent is lost: that ends it a
   * second time.
   */
  #endings = 0
  /** What the session executes, or waits with for a lock. */
  executing: string | null = null

  constructor(
    private readonly node: PostgresNode,
    readonly connection: ClientSide,
    /** Null where nobody writes down what is asked. */
    readonly listener: SessionListener | null,
  ) {
    this.#client = new ClientConnection(this)
  }

  get processId(): number | null {
    return this.#client.processId
  }

  // The network, as the server sees it.

  connect(startup: Startup): Session {
    return this.node.connect(startup)
  }

  cancel(processId: number, secretKey: number): void {
    this.node.cancel(processId, secretKey)
  }

  executes(step: Step): boolean {
    const before = this.#endings
    this.executing = step.text
    this.node.tap.executes(this.connection, step)
    return this.#endings === before
  }

  executed(step: Step, outcome: Outcome): void {
    this.executing = null
    this.node.tap.executed(this.connection, step, outcome)
  }

  letsGo(): void {
    this.node.tap.letsGo(this.connection)
  }

  send(bytes: string, answered: readonly Step[]): void {
    this.node.tap.answers(this.connection, bytes, answered)
  }

  close(): void {
    this.connection.serverClose()
    this.node.forget(this)
  }

  later(work: () => void): void {
    this.node.schedule(0, () => {
      work()
      this.#goOn()
    })
  }

  unsupported(what: string): void {
    this.node.unsupported(what)
  }

  // The server, as the network sees it.

  /** Somebody who knows the key wants what it executes cancelled. */
  cancelled(secretKey: number): void {
    this.#client.cancel(secretKey)
  }

  received(bytes: string): void {
    this.node.inTurn(() => {
      this.#client.feed(bytes)
      this.#goOn()
    })
  }

  /** Message by message: one may be the last before the server stalls. */
  #goOn(): void {
    while (!this.node.stalled && this.#client.step());
    if (this.node.stalled) this.node.inTurn(() => this.#goOn())
  }

  /** What came before is executed, even by a server that stalls until after its client has gone. */
  closed(ends: () => void = () => {}): void {
    this.#endings++
    this.node.inTurn(() => {
      this.node.forget(this)
      this.#client.closed()
      ends()
    })
  }

  /** Its client answers no probe of keep-alive any more. */
  forgotten(): void {
    this.node.schedule(this.node.keepaliveMs * 1000, () => this.connection.break('ECONNRESET'))
  }

  /** Its process is gone: connections are reset by what is left of it. */
  serverDied(): void {
    this.#endings++
    this.#client.died()
    this.node.tap.ended(this.connection)
    this.connection.break('ECONNRESET')
  }
}
