import { tokenMismatch } from '../errors.ts'

/**
 * Milliseconds for which a client token is valid (API reference, TransactWriteItems,
 * "ClientRequestToken").
 */
const tokenMs = 10 * 60 * 1000

/** Completed transactions by client token. */
export class Transactions {
  readonly #done = new Map<string, { readonly request: string; readonly untilMs: number }>()

  /**
   * True if a request with that token was already completed.
   * @throws ServiceError if the completed request was different
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
