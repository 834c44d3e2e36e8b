import type { Node } from 'libpg-query'
import type { Backend } from '../backend.ts'
import type { CommittedRow } from '../border.ts'
import { type LockTag, transactionTag } from '../locks/lock-tag.ts'
import type { Mode } from '../locks/modes.ts'
import type { Running } from '../run.ts'
import type { SerialTransaction } from '../serializable/serial-transaction.ts'
import { SqlError } from '../sql-error.ts'
import { Snapshot } from '../storage/snapshot.ts'
import { type Isolation, type Level, newLevel, Transaction } from './transaction.ts'

/**
 * The transaction of a session, if there is one. It contains a single statement, several statements
 * (implicit transaction), or is a transaction block.
 */
export class TransactionState {
  private readonly backend: Backend
  current: Transaction | null = null
  /** Set for a serializable transaction that has taken its snapshot. */
  serial: SerialTransaction | null = null
  private block: 'none' | 'implicit' | 'block' = 'none'
  /** True if the transaction has failed and must be rolled back. */
  failed = false
  private implicitOpen = false
  /**
   * True if the implicit transaction belongs to one simple query. For commands that print a warning
   * outside of a block, PostgreSQL then treats it like a block.
   */
  private isOneText = false

  constructor(backend: Backend) {
    this.backend = backend
    backend.settings.transaction = this
  }

  get status(): 'I' | 'T' | 'E' {
    if (this.block !== 'block') return 'I'
    return this.failed ? 'E' : 'T'
  }

  get inBlock(): boolean {
    return this.block === 'block'
  }

  /**
   * True if a command that is only useful inside a transaction block, such as SET LOCAL, is inside
   * one.
   */
  get keepsLocal(): boolean {
    return this.block === 'block' || (this.block === 'implicit' && this.isOneText)
  }

  /** True if the transaction ends with the current statement. */
  get isAlone(): boolean {
    return this.block === 'none'
  }

  get inImplicit(): boolean {
    return this.block === 'implicit'
  }

  settingOf(name: string): string | null {
    if (!this.current) return null
    if (name === 'transaction_isolation') return this.current.isolation
    if (name === 'transaction_read_only') return this.current.readOnly ? 'on' : 'off'
    return null
  }

  /** Returns the current transaction. Starts one if necessary. */
  ensure(): Transaction {
    if (!this.current) {
      const { settings, statementStartUs } = this.backend
      const isolation = settings.plain('default_transaction_isolation') as Isolation
      const readOnly = settings.plain('default_transaction_read_only') === 'on'
      this.current = new Transaction(statementStartUs, isolation, readOnly, settings.state)
      if (this.implicitOpen && this.block === 'none') this.block = 'implicit'
    }
    return this.current
  }

  /** Starts a transaction for a statement. COMMIT, ROLLBACK and similar commands start none. */
  ensureFor(node: Node): void {
    if (this.current || ('TransactionStmt' in node && !node.TransactionStmt.kind!.match(/BEGIN|START/))) return
    this.ensure()
  }

  beginImplicit(isOneText: boolean): void {
    this.implicitOpen = true
    this.isOneText = isOneText
  }

  *endImplicit(ok: boolean): Running<void> {
    this.implicitOpen = false
    if (this.block !== 'implicit') return
    if (ok && !this.failed) yield* this.commit()
    else this.rollback()
  }

  /** Opens a transaction block. */
  begin(): void {
    this.ensure()
    this.block = 'block'
  }

  /** Called after a successful statement. */
  *afterStatement(): Running<void> {
    if (this.current && this.block === 'none') yield* this.commit()
  }

  /**
   * Called after a failed statement. A transaction block waits for its ROLLBACK; every other
   * transaction is rolled back now.
   */
  fail(): void {
    if (this.block === 'block') {
      this.failed = true
      if (this.current) {
        this.undoLevel(this.current.innermost)
        this.backend.settings.restore(this.current.innermost.settings)
      }
      if (this.current?.levels.length === 1) this.abortSerial()
    } else if (this.block === 'implicit') {
      this.rollback()
      this.implicitOpen = false
    } else this.rollback()
  }

  /** The snapshot of a query: a new snapshot, or the snapshot that the transaction keeps. */
  snapshot(): Snapshot {
    const transaction = this.ensure()
    transaction.started = true
    if (!transaction.keepsSnapshot) return new Snapshot(this.backend.ids, transaction, transaction.command)
    if (!transaction.snapshot) {
      transaction.snapshot = new Snapshot(this.backend.ids, transaction, transaction.command)
      if (transaction.isolation === 'serializable') {
        const { dependencies } = this.backend.database
        this.serial = dependencies.begin(transaction.readOnly, transaction.snapshot.oldest, () => transaction.topXid)
      }
    }
    return transaction.snapshot.at(transaction.command)
  }

  /**
   * Assigns ids to the transaction and its savepoints, outer levels first. The session holds a lock
   * on each id while it is active.
   */
  assignXid(): number {
    const { levels } = this.ensure()
    let parent = 0
    for (const level of levels) {
      if (level.xid === 0) {
        level.xid = this.backend.ids.assign(parent)
        const tag = transactionTag(level.xid)
        this.backend.tryLock(tag, 7, 'transient')
        level.locks.push({ tag, mode: 7 })
      }
      parent = level.xid
    }
    return parent
  }

  keepLock(tag: LockTag, mode: Mode): void {
    this.ensure().innermost.locks.push({ tag, mode })
  }

  notify(channel: string, payload: string): void {
    const { levels, innermost } = this.ensure()
    const known = levels.some(({ notifications }) =>
      notifications.some((one) => one.channel === channel && one.payload === payload),
    )
    if (!known) innermost.notifications.push({ channel, payload })
  }

  listen(channel: string | null, on: boolean): void {
    const level = this.ensure().innermost
    ;(level.listening as { channel: string | null; on: boolean }[]).push({ channel, on })
  }

  savepoint(name: string): void {
    const { levels, readOnly } = this.current!
    levels.push(newLevel(name, this.backend.settings.state, readOnly))
  }

  /** @throws SqlError 3B001 */
  private indexOf(name: string): number {
    const at = this.current!.levels.findLastIndex((level) => level.name === name)
    if (at < 0) throw new SqlError('3B001', `savepoint "${name}" does not exist`)
    return at
  }

  release(name: string): void {
    const at = this.indexOf(name)
    const { levels } = this.current!
    // A released savepoint keeps its settings, but not READ ONLY.
    this.current!.readOnly = levels[at]!.readOnly
    for (const level of levels.splice(at)) {
      const into = levels.at(-1)!
      into.locks.push(...level.locks)
      into.written.push(...level.written)
      into.undo.push(...level.undo)
      into.notifications.push(...level.notifications)
      ;(into.listening as unknown[]).push(...level.listening)
    }
  }

  rollbackTo(name: string): void {
    const at = this.indexOf(name)
    const { levels } = this.current!
    const { settings, readOnly } = levels[at]!
    for (const level of levels.splice(at).reverse()) this.undoLevel(level)
    this.backend.settings.restore(settings)
    this.failed = false
    this.current!.readOnly = readOnly
    levels.push(newLevel(name, settings, readOnly))
  }

  /** Commits the transaction. Waits if a synchronous standby must receive the commit first. */
  *commit(): Running<void> {
    const transaction = this.current!
    const { backend } = this
    const { database } = backend
    while (transaction.levels.length > 1) this.release(transaction.levels.at(-1)!.name!)
    const [top] = transaction.levels as [Level]
    const rows = top.xid === 0 ? [] : committedRows(top)
    if (this.serial) database.dependencies.prepare(this.serial)
    if (top.xid !== 0) {
      const level = backend.settings.plain('synchronous_commit')
      const waitsFor = level === 'off' ? 'nothing' : level === 'local' ? 'disk' : 'standby'
      const commit = { xid: top.xid, rows }
      const waits = waitsFor === 'standby' && database.standbyLags
      if (waits) yield* database.untilShipped(backend, commit)
      database.ids.commit(top.xid)
      database.catalogCommitted(backend, top.xid)
      if (!waits) database.committed(backend.processId, commit, waitsFor)
    }
    if (this.serial) database.dependencies.commit(this.serial)
    this.serial = null
    for (const { channel, on } of top.listening) {
      if (channel === null) backend.listening.clear()
      else if (on) backend.listening.add(channel)
      else backend.listening.delete(channel)
    }
    this.close()
    backend.settings.endLocal()
    this.releaseLocks(top)
    if (top.notifications.length > 0) backend.publish(top.notifications)
    database.tidy(top.written)
  }

  rollback(): void {
    const transaction = this.current
    this.abortSerial()
    this.close()
    if (!transaction) return
    for (const level of [...transaction.levels].reverse()) this.undoLevel(level)
    this.backend.settings.restore(transaction.levels[0]!.settings)
  }

  private abortSerial(): void {
    if (this.serial) this.backend.database.dependencies.abort(this.serial)
    this.serial = null
  }

  private close(): void {
    this.current = null
    this.block = 'none'
    this.failed = false
  }

  private undoLevel(level: Level): void {
    for (const undo of level.undo.splice(0).reverse()) undo()
    if (level.xid !== 0 && this.backend.ids.statusOf(level.xid) === 'active') {
      this.backend.ids.abort(level.xid)
      this.backend.database.catalog.aborted(level.xid)
    }
    this.releaseLocks(level)
  }

  private releaseLocks(level: Level): void {
    for (const { tag, mode } of level.locks) this.backend.unlock(tag, mode)
    level.locks.length = 0
  }

  /** Called when the connection has ended. */
  abandon(): void {
    this.rollback()
  }
}

function committedRows(level: Level): CommittedRow[] {
  return level.written.map(({ table, change, version }) => {
    const values: Record<string, string | null> = {}
    for (let i = 0; i < table.columns.length; i++) {
      const { name, type } = table.columns[i]!
      const value = version.values[i] ?? null
      values[name] = value === null ? null : type.write(value)
    }
    return { table: table.key, change, values }
  })
}
