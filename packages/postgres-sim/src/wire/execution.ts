import assert from 'node:assert/strict'
import type { Outcome, Session, SqlError, Statement } from '../index.ts'
import type { Output } from './output.ts'
import type { ServerPeer, Step } from './server-peer.ts'

/** Receives the events of an execution. */
export interface ExecutionOwner {
  /** Called when all prepared statements were deallocated. */
  discarded(): void
  /**
   * Called when the connection was lost before a statement arrived. Later statements never arrive.
   */
  lost(): void
}

/**
 * Executes the statements of a session one at a time. Begins and ends implicit transactions: for a
 * simple query with several statements, and for the messages up to Sync (PostgreSQL 15, chapter
 * 55.2.2.1 and 55.2.3).
 */
export class Execution {
  /** True while a statement or the end of a transaction is running. */
  busy = false
  #implicit = false
  /**
   * Executions inside the open implicit transaction. They become final when the transaction ends.
   */
  #unsettled: [Step, Outcome][] = []
  #over = false

  constructor(
    private readonly server: ServerPeer,
    private readonly session: Session,
    private readonly output: Output,
    private readonly owner: ExecutionOwner,
  ) {}

  /** Called when the session has ended. The running statement ends without an answer. */
  end(): void {
    this.#over = true
    this.busy = false
  }

  get inImplicit(): boolean {
    return this.#implicit
  }

  /**
   * Executes a statement. `done` is not called if the connection was lost or the session has ended.
   */
  execute(statement: Statement, parameters: readonly (string | null)[], done: (outcome: Outcome) => void): void {
    const step = { text: statement.text, parameters }
    if (!this.server.executes(step)) return this.owner.lost()
    this.#await<Outcome>(
      (given) => this.session.execute(statement, parameters, given),
      (outcome) => {
        this.output.answers(step)
        if (outcome.ok && (outcome.tag === 'DISCARD ALL' || outcome.tag === 'DEALLOCATE ALL')) this.owner.discarded()
        if (this.#implicit) this.#unsettled.push([step, outcome])
        else this.server.executed(step, outcome)
        if (!this.#over) done(outcome)
      },
    )
  }

  /**
   * Opens an implicit transaction. `isOneText` is true for the statements of a simple query, false
   * for the messages up to Sync.
   */
  beginImplicit(isOneText = false): void {
    if (this.#implicit || this.session.status !== 'I') return
    this.#implicit = true
    this.session.beginImplicit(isOneText)
  }

  /**
   * Ends the implicit transaction. Sends `said` if there is no implicit transaction, or if it ends
   * without an error.
   */
  endImplicit(ok: boolean, done: () => void, said = ''): void {
    if (!this.#implicit) {
      this.output.add(said)
      return done()
    }
    this.#await<SqlError | null>(
      (given) => this.session.endImplicit(ok, given),
      (error) => {
        this.#implicit = false
        if (error !== null) this.output.error(error)
        else this.output.add(said)
        const unsettled = this.#unsettled
        this.#unsettled = []
        for (const [step, outcome] of unsettled)
          if (!this.#over) this.server.executed(step, error === null ? outcome : { ok: false, error })
        if (!this.#over) done()
      },
    )
  }

  /**
   * Calls `done` with the result of `begin`: immediately, or in a separate turn of the server.
   * Until then, the session runs nothing else.
   */
  #await<T extends Outcome | SqlError | null>(
    begin: (given: (value: T) => void) => void,
    done: (value: T) => void,
  ): void {
    assert(!this.busy, 'a session executes one statement at a time')
    let returned = false
    let atOnce: { readonly value: T } | null = null as { readonly value: T } | null
    this.busy = true
    let given = false
    begin((value) => {
      assert(!given, 'a statement has one outcome')
      given = true
      if (!returned) {
        atOnce = { value }
        return
      }
      this.server.listener?.woke(codeOf(value))
      this.server.later(() => this.#goOn(value, done))
    })
    returned = true
    // Messages that the session sends directly after its result (notifications) have arrived at
    // this point.
    if (atOnce !== null) this.#goOn(atOnce.value, done)
  }

  #goOn<T>(value: T, done: (value: T) => void): void {
    if (this.#over) return
    this.busy = false
    done(value)
  }
}

/** The code of the error in a result; null if there is no error. */
function codeOf(value: Outcome | SqlError | null): string | null {
  if (value === null) return null
  if (!('ok' in value)) return value.code
  return value.ok ? null : value.error.code
}
