import { HttpConnection } from 'dynamodb-sim'
import { assert } from 'virtual-node/assert'
import type { ClientSide, ServerEnd } from 'virtual-node/network'
import type { DynamoDBNode } from './dynamodb-node.ts'
import { stepOf } from './request-step.ts'

/**
 * Both ends of one connection where they meet: what the network is to HTTP, and HTTP to the
 * network.
 */
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

  /** Request by request: one may be the last before the service stalls. */
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
   * What came before is executed, even by a service that stalls until after its client has gone.
   */
  closed(ends: () => void = () => {}): void {
    this.node.inTurn(() => {
      this.#isOver = true
      this.#http.close()
      ends()
    })
  }
}
