import type { Outcome, Session, Startup } from 'postgres-sim'
import type { ServerPeer, SessionListener, Step } from 'postgres-sim/wire'
import { ClientConnection } from 'postgres-sim/wire'
import type { ClientSide, ServerEnd } from 'virtual-node/network'
import type { PostgresNode } from './postgres-node.ts'

/** Connects the protocol of one session to the simulated network. */
export class ServedSession implements ServerEnd, ServerPeer {
  readonly #client: ClientConnection
  /**
   * Counts the ends of the connection. The connection ends twice if its client closes it while the
   * server is stalled, and the server then dies.
   */
  #endings = 0
  /** The statement that the session executes, or with which it waits for a lock. */
  executing: string | null = null

  constructor(
    private readonly node: PostgresNode,
    readonly connection: ClientSide,
    /** Null if requests are not recorded. */
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

  /** Another connection that knows the key cancels the statement in execution. */
  cancelled(secretKey: number): void {
    this.#client.cancel(secretKey)
  }

  received(bytes: string): void {
    this.node.inTurn(() => {
      this.#client.feed(bytes)
      this.#goOn()
    })
  }

  /** One message at a time, because the server may stall after each of them. */
  #goOn(): void {
    while (!this.node.stalled && this.#client.step());
    if (this.executing !== null) this.node.tap.waits()
    if (this.node.stalled) this.node.inTurn(() => this.#goOn())
  }

  /**
   * Messages that had arrived are executed, even if the server stalls until the client has closed
   * the connection.
   */
  closed(ends: () => void = () => {}): void {
    this.#endings++
    this.node.inTurn(() => {
      this.node.forget(this)
      this.#client.closed()
      ends()
    })
  }

  /** The client no longer answers keep-alive probes. */
  forgotten(): void {
    this.node.schedule(this.node.keepaliveMs * 1000, () => this.connection.break('ECONNRESET'))
  }

  /** The server process died, so its connections are reset. */
  serverDied(): void {
    this.#endings++
    this.#client.died()
    this.node.tap.ended(this.connection)
    this.connection.break('ECONNRESET')
  }
}
