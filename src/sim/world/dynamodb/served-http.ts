import { HttpConnection } from 'dynamodb-sim'
import { assert } from 'virtual-node/assert'
import type { ClientSide, ServerEnd } from 'virtual-node/network'
import type { DynamoDBNode } from './dynamodb-node.ts'
import { stepOf } from './request-step.ts'

/** Connects the HTTP side of one connection to the simulated network. */
export class ServedHttp implements ServerEnd {
  readonly #http: HttpConnection
  #answer = ''
  #isOver = false

  constructor(
    private readonly node: DynamoDBNode,
    private readonly connection: ClientSide,
  ) {
    this.#http = new HttpConnection(node.tables, {
      write: (bytes) => {
        this.#answer += bytes
      },
      close: () => connection.serverClose(),
    })
  }

  received(bytes: string): void {
    this.node.inTurn(() => {
      this.#http.feed(bytes)
      this.#goOn()
    })
  }

  /** One request at a time, because the service may stall after each of them. */
  #goOn(): void {
    while (!this.node.stalled && !this.#isOver && this.#http.pending > 0) this.#step()
    if (this.node.stalled && this.#http.pending > 0) this.node.inTurn(() => this.#goOn())
  }

  #step(): void {
    const { connection, node } = this
    const request = this.#http.next
    const step = request === null ? null : stepOf(request)
    const fault = step === null ? null : node.tap.executes(connection, step)
    if (this.#isOver) return
    this.#answer = ''
    node.serve(fault, () => this.#http.step())
    const answer = this.#answer
    assert(answer !== '', 'DynamoDB answers each request')
    if (step !== null) node.tap.executed(connection, step, answer)
    if (!this.#isOver) connection.reply(answer, step?.label ?? null)
  }

  /**
   * Requests that had arrived are executed, even if the service stalls until the client has closed
   * the connection.
   */
  closed(ends: () => void = () => {}): void {
    this.node.inTurn(() => {
      this.#isOver = true
      this.#http.close()
      ends()
    })
  }
}
