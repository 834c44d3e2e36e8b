import type { SqlNotice } from '../index.ts'
import * as backend from './backend.ts'
import type { ServerPeer, Step } from './server-peer.ts'

/** Buffers the messages of a session. PostgreSQL sends them when the client waits for an answer. */
export class Output {
  #bytes = ''
  #answered: Step[] = []

  constructor(private readonly server: Pick<ServerPeer, 'send' | 'listener'>) {}

  add(message: string): void {
    this.#bytes += message
    this.server.listener?.response(message)
  }

  error(error: SqlNotice): void {
    this.add(backend.errorResponse(error))
  }

  /** Records that the buffered messages contain the answer to this execution. */
  answers(step: Step): void {
    this.#answered.push(step)
  }

  get isEmpty(): boolean {
    return this.#bytes === ''
  }

  send(): void {
    const [bytes, answered] = [this.#bytes, this.#answered]
    this.#bytes = ''
    this.#answered = []
    if (bytes !== '') this.server.send(bytes, answered)
  }
}
