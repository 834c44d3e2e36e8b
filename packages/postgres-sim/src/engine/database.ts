import type { Node } from 'libpg-query'
import { Backend } from './backend.ts'
import type { CommittedRow, DatabaseHost, Session, Startup } from './border.ts'
import { Catalog } from './catalog/catalog.ts'
import type { Table } from './catalog/relations.ts'
import { LockManager } from './locks/lock-manager.ts'
import { prune } from './rows/prune.ts'
import { Dependencies } from './serializable/dependencies.ts'
import type { Compiled } from './session/run-query.ts'
import { SqlError } from './sql-error.ts'
import { TransactionIds } from './storage/transaction-ids.ts'

export interface DatabaseSettings {
  readonly maxConnections?: number
  /** The server's own synchronous_commit. */
  readonly synchronousCommit?: boolean
  /** A second server gets what is on the first one's disk: at once, and before a commit is answered, or later. */
  readonly standby?: 'synchronous' | 'asynchronous'
}

/** A commit that is visible, and can still be lost. */
interface Commit {
  readonly xid: number
  readonly rows: readonly CommittedRow[]
}

const nothing = (): void => {}

/** Three of PostgreSQL's connections are kept for superusers. */
const reserved = 3

/**
 * One PostgreSQL 15 server with one database. Its fault model: it dies by `crash()`, and what was not flushed is lost then; or it is lost with its
 * disk by `failOver()`, and its standby goes on with what that has got. It does not run out of memory or disk, loses no single write, and is not slow:
 * time is what waits take. The lost server never comes back as a second primary.
 */
export class Database {
  readonly host: DatabaseHost
  readonly ids = new TransactionIds()
  readonly catalog = new Catalog(this.ids)
  readonly locks = new LockManager()
  readonly dependencies = new Dependencies(this.ids)
  readonly sessions = new Map<number, Backend>()
  /** What was compiled last for each statement. */
  readonly compiled = new Map<Node, Compiled>()
  /** Of its write-ahead log: a standby that takes over begins the next one. */
  timeline = 1
  private readonly maxConnections: number
  private readonly synchronousCommit: boolean
  private nextProcessId = 100
  private ready: Backend[] = []
  private draining = false
  /** Not on the disk. */
  private unflushed: Commit[] = []
  private cancelFlush: (() => void) | null = null
  private readonly standby: DatabaseSettings['standby']
  /** On the disk, and not on the standby. */
  private unshipped: Commit[] = []
  private cancelShipping: (() => void) | null = null

  constructor(host: DatabaseHost, settings: DatabaseSettings = {}) {
    this.host = host
    this.maxConnections = settings.maxConnections ?? 100
    this.synchronousCommit = settings.synchronousCommit ?? true
    this.standby = settings.standby
  }

  /** @throws SqlError 53300 where there are too many */
  connect(startup: Startup): Session {
    if (this.sessions.size >= this.maxConnections)
      throw new SqlError('53300', 'sorry, too many clients already', { severity: 'FATAL' })
    if (startup.user !== 'postgres' && this.sessions.size >= this.maxConnections - reserved) {
      throw new SqlError('53300', 'remaining connection slots are reserved for non-replication superuser connections', {
        severity: 'FATAL',
      })
    }
    const processId = this.nextProcessId++
    const parameters = { synchronous_commit: this.synchronousCommit ? 'on' : 'off', ...startup.parameters }
    const backend = new Backend(this, processId, { ...startup, parameters })
    this.sessions.set(processId, backend)
    return backend
  }

  /**
   * The machine dies: sessions are gone without a word, commits that were not flushed are lost, what was open is rolled back.
   * @returns the rows of the commits that are lost, the oldest first
   */
  crash(): readonly CommittedRow[] {
    return this.die(this.unflushed, 'disk')
  }

  /**
   * The machine is lost with its disk, and its standby takes its place: sessions are gone without a word, as are the commits that the standby had not got.
   * @returns the rows of the commits that are lost, the oldest first
   */
  failOver(): readonly CommittedRow[] {
    const lost = [...this.unshipped, ...this.unflushed]
    this.unshipped = []
    this.timeline++
    return this.die(lost, 'standby')
  }

  private die(lost: readonly Commit[], from: 'disk' | 'standby'): readonly CommittedRow[] {
    for (const backend of this.sessions.values()) backend.vanish()
    this.sessions.clear()
    this.locks.clear()
    this.ids.abortActive()
    this.dependencies.clear()
    this.ready = []
    this.cancelFlush?.()
    this.cancelFlush = null
    this.cancelShipping?.()
    this.cancelShipping = null
    for (const { xid } of lost) this.ids.abort(xid)
    this.unflushed = []
    for (const sequence of this.catalog.allSequences()) sequence.recover(from)
    this.catalog.recovered()
    return lost.flatMap(({ rows }) => rows)
  }

  /** Whom a session waits for, as pg_blocking_pids() has it; empty where it waits for no lock. */
  blockedBy(processId: number): readonly number[] {
    const waiting = this.sessions.get(processId)?.waiting
    return waiting ? this.locks.blockers(waiting).map((one) => one.processId) : []
  }

  /** A backend can go on. Those that can at the same time go one after the other, in an order that is chance. */
  schedule(backend: Backend): void {
    if (!this.ready.includes(backend)) this.ready.push(backend)
    this.together(nothing)
  }

  /** One that runs stands before those that can go on; false where there are none. */
  queueFirst(backend: Backend): boolean {
    if (this.ready.length === 0) return false
    this.ready.unshift(backend)
    return true
  }

  /** Those that the work lets go on do so after it, at the same time. */
  together(work: () => void): void {
    if (this.draining) return work()
    this.draining = true
    try {
      work()
      while (this.ready.length > 0) {
        const at = this.ready.length > 1 ? this.host.chance('which session goes on first', this.ready.length) : 0
        const next = at === this.ready.length - 1 ? this.ready.pop()! : this.ready.splice(at, 1)[0]!
        this.host.goesOn?.(next.processId)
        next.goOn()
      }
    } finally {
      this.draining = false
    }
  }

  /** A transaction of that session that wrote has committed. */
  committed(processId: number, { xid, rows }: Commit, waitsFor: 'nothing' | 'disk' | 'standby'): void {
    if (this.unflushed.length === 0) this.unflushed = [{ xid, rows }]
    else this.unflushed.push({ xid, rows })
    if (rows.length > 0) this.host.visible?.(processId, rows)
    if (waitsFor !== 'nothing') this.flush(waitsFor)
    else {
      // The WAL writer comes by every 200 ms, and may leave the newest page for its next two rounds.
      this.cancelFlush ??= this.host.after(1 + this.host.chance('WAL writer, ms', 600) * 1000, () => this.flush())
    }
  }

  /** What a session made and dropped is so for all from now on, and what was compiled for its eyes fits all. */
  catalogCommitted(backend: Backend, topXid: number): void {
    const { catalog, compiled } = this
    const before = catalog.version
    catalog.committed(topXid)
    if (catalog.version === before || !catalog.isSettled) return
    for (const [node, one] of compiled)
      if (one.of === backend && one.version === before)
        compiled.set(node, { ...one, of: null, version: catalog.version })
  }

  /** What a transaction wrote, once it has ended. */
  tidy(written: readonly { readonly table: Table }[]): void {
    if (this.unflushed.length > 0 || this.unshipped.length > 0) return
    for (const { state } of this.sessions.values()) if (state.current) return
    for (const { table } of written) prune(this, table)
  }

  /** All that has committed is on the disk. */
  flush(upTo: 'disk' | 'standby' = 'disk'): void {
    this.cancelFlush?.()
    this.cancelFlush = null
    if (this.unshipped.length === 0) this.unshipped = this.unflushed
    else this.unshipped.push(...this.unflushed)
    this.unflushed = []
    for (const sequence of this.catalog.allSequences()) sequence.flush()
    if (this.standby === undefined || (this.standby === 'synchronous' && upTo === 'standby')) this.ship()
    else this.shipLater()
  }

  /** What is on the disk is on its way to the standby, also after a restart. */
  shipLater(): void {
    if (this.unshipped.length === 0) return
    this.cancelShipping ??= this.host.after(1 + this.host.chance('lag of the standby, ms', 600) * 1000, () =>
      this.ship(),
    )
  }

  /** All that is on the disk is on the standby, where there is one: it cannot be lost any more. */
  ship(): void {
    this.cancelShipping?.()
    this.cancelShipping = null
    const safe = this.unshipped
    this.unshipped = []
    for (const { rows } of safe) if (rows.length > 0) this.host.committed?.(rows)
    for (const sequence of this.catalog.allSequences()) sequence.ship()
  }
}
