import assert from 'node:assert/strict'
import type { Outcome, Session, SqlError, Statement } from '../index.ts'
import type { Output } from './output.ts'
import type { ServerPeer, Step } from './server-peer.ts'

/** Whose execution it is. */
export interface ExecutionOwner {
  /** Prepared statements are no more. */
  discarded(): void
  /**
   * The connection went with a statement that was on its way: what came behind it never arrived.
   */
  lost(): void
}

/**
 * Executes a session's statements, one after the other, and ends the transactions that nobody began
 * by name: those of a simple query with several statements, and of what comes between two Sync
 * (PostgreSQL 15, chapter 55.2.2.1 and 55.2.3).
 */
export class Execution {
  /** A statement is under way, or the end of a transaction. */
  busy = false
  #implicit = false
  /** Executions of the implicit transaction, which stand when it does. */
  #unsettled: [Step, Outcome][] = []
  #over = false

  constructor(
    private readonly server: ServerPeer,
    private readonly session: Session,
    private readonly output: Output,
    private readonly owner: ExecutionOwner,
  ) {}

  /** The session is gone: what was under way ends unheard. */
  end(): void {
    this.#over = true
    this.busy = false
  }

  get inImplicit(): boolean {
    return this.#implicit
  }

  /** `done` is not called where the execution was not to be, or its session is gone. */
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

  /** `isOneText`: of the statements of a simple query; else of what comes between two Sync. */
  beginImplicit(isOneText = false): void {
    if (this.#implicit || this.session.status !== 'I') return
    this.#implicit = true
    this.session.beginImplicit(isOneText)
  }

  /** `said` where there is nothing to end, or its end has not failed. */
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
   * Goes on with what comes back: at once, or in a turn of the server's own. Meanwhile nothing else
   * is done.
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
    // What the session says of itself right after its answer has come by now: notifications.
    if (atOnce !== null) this.#goOn(atOnce.value, done)
  }

  #goOn<T>(value: T, done: (value: T) => void): void {
    if (this.#over) return
    this.busy = false
    done(value)
  }
}

/** The code of the error that came of it; null where none did. */
function codeOf(value: Outcome | SqlError | null): string | null {
  if (value === null) return null
  if (!('ok' in value)) return value.code
  return value.ok ? null : value.error.code
}
