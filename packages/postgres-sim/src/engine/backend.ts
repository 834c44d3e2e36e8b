import type { Outcome, Session, SessionClient, Startup, Statement } from './border.ts'
import type { Table } from './catalog/relations.ts'
import type { Database } from './database.ts'
import { checkDeadlock } from './locks/deadlock.ts'
import type { LockHolder, Waiting } from './locks/lock-manager.ts'
import { type LockTag, transactionTag } from './locks/lock-tag.ts'
import type { Mode } from './locks/modes.ts'
import { checkDeferred } from './rows/foreign-keys.ts'
import type { Running } from './run.ts'
import { AdvisoryLocks } from './session/advisory-locks.ts'
import { parseStatements, perform } from './session/perform.ts'
import type { Prepared } from './session/run-query.ts'
import { SequenceValues } from './session/sequence-values.ts'
import { Settings } from './session/settings.ts'
import { Timers } from './session/timers.ts'
import { TransactionState } from './session/transaction-state.ts'
import { SqlError, type SqlNotice, UnsupportedSql } from './sql-error.ts'
import type { RowVersion } from './storage/row-version.ts'
import type { TransactionIds } from './storage/transaction-ids.ts'

/** One session of the server. It runs one statement at a time until the statement waits or ends. */
export class Backend implements Session, LockHolder {
  readonly database: Database
  readonly processId: number
  readonly secretKey: number
  readonly startup: Startup
  readonly settings: Settings
  readonly state: TransactionState
  readonly advisory: AdvisoryLocks
  readonly sequences: SequenceValues
  readonly timers: Timers
  /** Statements of PREPARE, by name. */
  readonly prepared = new Map<string, Prepared>()
  readonly listening = new Set<string>()
  waiting: Waiting | null = null
  client: SessionClient | null = null
  statementStartUs = 0
  /** Number of speculative inserts by ON CONFLICT. */
  speculations = 0
  private running: Running<Outcome> | null = null
  private done: ((outcome: Outcome) => void) | null = null
  private interruption: SqlError | null = null
  private canGoOn = false
  private gone = false
  private readonly inbox: [channel: string, payload: string, from: number][] = []

  constructor(database: Database, processId: number, startup: Startup) {
    this.database = database
    this.processId = processId
    this.secretKey = database.host.chance('secret key of a session', 2 ** 31)
    this.startup = startup
    this.settings = new Settings(startup.parameters, (name, value) => this.client?.settingChanged?.(name, value))
    this.state = new TransactionState(this)
    this.advisory = new AdvisoryLocks(this)
    this.sequences = new SequenceValues(this)
    this.timers = new Timers(this)
    this.timers.idle(false)
  }

  get status(): 'I' | 'T' | 'E' {
    return this.state.status
  }

  get ids(): TransactionIds {
    return this.database.ids
  }

  get topXid(): number {
    return this.state.current?.levels[0]?.xid ?? 0
  }

  /**
   * Returns the start of the transaction in microseconds, and notifies the host that a statement
   * reads the clock.
   */
  reportTransactionStartUs(): number {
    return this.reportTime(this.state.current?.startUs ?? this.statementStartUs)
  }

  reportStatementStartUs(): number {
    return this.reportTime(this.statementStartUs)
  }

  reportNowUs(): number {
    return this.reportTime(this.database.host.nowUs())
  }

  private reportTime(us: number): number {
    this.database.host.reportedTime?.(this.processId)
    return us
  }

  get holds(): boolean {
    return this.state.status !== 'I' || this.advisory.some
  }

  parse(sql: string, parameterTypes?: readonly number[]): readonly Statement[] {
    try {
      return parseStatements(this, sql, parameterTypes)
    } catch (error) {
      this.database.together(() => this.state.fail())
      throw this.reportedError(error)
    }
  }

  check(statement: Statement, parameter: number, text: string): void {
    const type = (statement as Prepared).compiled?.analysis.parameterTypes[parameter]
    try {
      type?.read(text, this.database.host.nowUs())
    } catch (error) {
      throw this.reportedError(error)
    }
  }

  execute(statement: Statement, parameters: readonly (string | null)[], done: (outcome: Outcome) => void): void {
    if (this.gone) throw new Error('the session has ended')
    if (this.running) throw new Error('the session executes a statement already')
    this.begin(perform(this, statement as Prepared, parameters), done)
  }

  private begin(running: Running<Outcome>, done: (outcome: Outcome) => void): void {
    this.timers.busy()
    this.running = running
    this.done = done
    this.canGoOn = true
    this.database.schedule(this)
  }

  /** Runs the statement until it waits or ends. */
  goOn(): void {
    const { running } = this
    if (!running || (!this.canGoOn && !this.interruption)) return
    const { interruption } = this
    this.interruption = null
    this.canGoOn = false
    const { done, value } = interruption ? running.throw(interruption) : running.next()
    if (!done) return
    this.running = null
    const finish = this.done!
    this.done = null
    this.timers.idle(this.state.status !== 'I')
    finish(value)
    this.deliver()
  }

  reported(): readonly (readonly [name: string, value: string])[] {
    return this.settings.reported()
  }

  beginImplicit(isOneText: boolean): void {
    this.state.beginImplicit(isOneText)
  }

  endImplicit(ok: boolean, done: (error: SqlError | null) => void): void {
    this.begin(this.ending(ok), (outcome) => done(outcome.ok ? null : outcome.error))
  }

  private *ending(ok: boolean): Running<Outcome> {
    try {
      if (ok && !this.state.failed && this.state.inImplicit) yield* checkDeferred(this)
      yield* this.state.endImplicit(ok)
      return { ok: true, tag: '', fields: null, rows: [] }
    } catch (error) {
      this.state.fail()
      return { ok: false, error: this.reportedError(error) }
    }
  }

  fail(): void {
    this.database.together(() => this.state.fail())
  }

  cancel(): void {
    if (this.running) this.interrupt(new SqlError('57014', 'canceling statement due to user request'))
  }

  end(): void {
    if (this.gone) return
    if (this.database.waitsForStandby(this)) this.cancel()
    this.vanish()
    this.database.together(() => {
      this.database.locks.giveUp(this)
      this.state.abandon()
      this.advisory.unlockAll()
    })
    this.database.sessions.delete(this.processId)
  }

  /**
   * Drops the running statement and the timers, because the session ends or the server has crashed.
   */
  vanish(): void {
    this.gone = true
    this.running = null
    this.done = null
    this.timers.stop()
  }

  /**
   * Converts a thrown value into the error of the statement. Notifies the host of unsupported SQL.
   * Rethrows everything that is not an SqlError.
   */
  reportedError(error: unknown): SqlError {
    if (!(error instanceof SqlError)) throw error
    if (error instanceof UnsupportedSql) this.database.host.unsupported(error.what)
    else if (error.code === '0A000' && error.message.endsWith('is not simulated'))
      this.database.host.unsupported(error.message)
    return error
  }

  notice(notice: SqlNotice): void {
    this.client?.noticed?.(notice)
  }

  /** Makes the waiting statement fail with this error. */
  interrupt(error: SqlError): void {
    this.interruption = error
    this.database.schedule(this)
  }

  granted(): void {
    this.wake()
  }

  wake(): void {
    this.canGoOn = true
    this.database.schedule(this)
  }

  /** Lets the sessions that are ready continue before this session. */
  *giveWay(): Running<void> {
    if (!this.database.queueFirst(this)) return
    this.canGoOn = true
    yield 'wait'
  }

  *sleep(us: number): Running<void> {
    const cancel = this.database.host.after(us, () => this.wake())
    try {
      yield 'wait'
    } finally {
      cancel()
    }
  }

  /**
   * Requests a lock and waits until it is granted. With `transaction`, the session holds the lock
   * until the transaction ends; with `transient`, the caller releases the lock.
   */
  *lock(tag: LockTag, mode: Mode, span: 'transaction' | 'transient'): Running<void> {
    if (!this.database.locks.request(this, tag, mode)) yield* this.untilGranted()
    if (span === 'transaction') this.state.keepLock(tag, mode)
  }

  tryLock(tag: LockTag, mode: Mode, span: 'transaction' | 'transient'): boolean {
    if (!this.database.locks.tryRequest(this, tag, mode)) return false
    if (span === 'transaction') this.state.keepLock(tag, mode)
    return true
  }

  unlock(tag: LockTag, mode: Mode): void {
    this.database.locks.release(this, tag, mode)
  }

  *untilGranted(): Running<void> {
    // If the deadlock check reorders a queue, the sessions that it wakes continue only after the
    // whole queue has been served.
    const stop = this.timers.startWait(() =>
      this.database.together(() => {
        const error = checkDeadlock(this, this.database.locks)
        if (error) this.interrupt(error)
      }),
    )
    try {
      yield 'wait'
    } catch (error) {
      this.database.locks.giveUp(this)
      throw error
    } finally {
      stop()
    }
  }

  /**
   * Waits until the transaction has ended. If `xid` is the id of a released savepoint, also waits
   * for the parent of the savepoint.
   */
  *waitForTransaction(xid: number, where: string): Running<void> {
    try {
      let at = xid
      do {
        const tag = transactionTag(at)
        yield* this.lock(tag, 5, 'transient')
        this.unlock(tag, 5)
        // A savepoint that was rolled back has ended. A released savepoint ends with its parent.
        if (this.ids.statusOf(at) !== 'active') return
        at = this.ids.parentOf(at)
      } while (at !== 0)
    } catch (error) {
      throw error instanceof SqlError ? error.with({ where }) : error
    }
  }

  currentXid(): number {
    return this.state.assignXid()
  }

  topXidAssigned(): number {
    this.state.assignXid()
    return this.topXid
  }

  wrote(
    table: Table,
    change: 'insert' | 'update' | 'delete',
    version: RowVersion,
    before: RowVersion | null = null,
  ): void {
    this.state.current!.innermost.written.push({ table, change, version, before })
  }

  notify(channel: string, payload: string): void {
    if (channel === '') throw new SqlError('22023', 'channel name cannot be empty')
    if (channel.length > 63) throw new SqlError('22023', 'channel name too long')
    if (payload.length >= 8000) throw new SqlError('22023', 'payload string too long')
    this.state.notify(channel, payload)
  }

  /** Sends the notifications of a committed transaction to all listening sessions. */
  publish(notifications: readonly { channel: string; payload: string }[]): void {
    for (const { channel, payload } of notifications) {
      for (const other of this.database.sessions.values()) {
        if (other.listening.has(channel)) other.inbox.push([channel, payload, this.processId])
      }
    }
    for (const other of this.database.sessions.values()) if (other !== this) other.deliver()
  }

  private deliver(): void {
    if (this.running || this.state.current || this.gone) return
    for (const one of this.inbox.splice(0)) this.client?.notified?.(...one)
  }

  terminate(error: SqlError): void {
    const { client } = this
    this.end()
    client?.terminated?.(error)
  }
}
