import { tokenMismatch } from '../errors.ts'

/**
 * How long a client's token stands for its request (API reference, TransactWriteItems,
 * "ClientRequestToken").
 */
const tokenMs = 10 * 60 * 1000

/** Requests that were done, by the tokens of their clients. */
export class Transactions {
  readonly #done = new Map<string, { readonly request: string; readonly untilMs: number }>()

  /**
   * Whether the request with that token was done before, and is not to be done again.
   * @throws ServiceError where it was another request
   */
  wasDone(token: string, request: string, nowMs: number): boolean {
    for (const [other, { untilMs }] of this.#done) if (untilMs <= nowMs) this.#done.delete(other)
    const done = this.#done.get(token)
    if (done !== undefined && done.request !== request) throw tokenMismatch()
    return done !== undefined
  }

  note(token: string, request: string, nowMs: number): void {
    this.#done.set(token, { request, untilMs: nowMs + tokenMs })
  }
}
