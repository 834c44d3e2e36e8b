import type { Node } from 'libpg-query'
import { Backend } from './backend.ts'
import type { CommittedRow, DatabaseHost, Session, Startup } from './border.ts'
import { Catalog } from './catalog/catalog.ts'
import type { Table } from './catalog/relations.ts'
import { LockManager } from './locks/lock-manager.ts'
import { prune } from './rows/prune.ts'
import type { Running } from './run.ts'
import { Dependencies } from './serializable/dependencies.ts'
import type { Compiled } from './session/run-query.ts'
import { SqlError } from './sql-error.ts'
import { TransactionIds } from './storage/transaction-ids.ts'

export interface DatabaseSettings {
  readonly maxConnections?: number
  /** The server's default of synchronous_commit. */
  readonly synchronousCommit?: boolean
  /**
   * A standby that receives the flushed data of the primary, either before a commit is answered
   * ('synchronous') or later ('asynchronous').
   */
  readonly standby?: 'synchronous' | 'asynchronous'
  /**
   * Milliseconds until a synchronous standby has received and confirmed a commit; the default is 0.
   */
  readonly standbyLagMs?: number
}

interface Commit {
  readonly xid: number
  readonly rows: readonly CommittedRow[]
}

/** A commit that can still be lost. */
interface Unsafe extends Commit {
  /** The session that waits for the standby; null if other sessions already see the commit. */
  waiting: Backend | null
}

const nothing = (): void => {}

/**
 * Delay in milliseconds before a standby reconnects to a lost primary: wal_retrieve_retry_interval.
 */
const retryMs = 5000

/**
 * Number of connections that PostgreSQL reserves for superusers (superuser_reserved_connections).
 */
const reserved = 3

/**
 * One PostgreSQL 15 server with one database.
 *
 * Faults: `crash()` stops the server and loses unflushed data. `failOver()` loses the server with
 * its disk; the standby continues with the data that it has received. The lost server never returns
 * as a second primary. The server does not run out of memory or disk space, loses no single write
 * and is never slow: only waits take time.
 */
export class Database {
  readonly host: DatabaseHost
  readonly ids = new TransactionIds()
  readonly catalog = new Catalog(this.ids)
  readonly locks = new LockManager()
  readonly dependencies = new Dependencies(this.ids)
  readonly sessions = new Map<number, Backend>()
  /** The most recent compilation of each statement. */
  readonly compiled = new Map<Node, Compiled>()
  /** Timeline of the write-ahead log. A failover starts the next timeline. */
  timeline = 1
  private readonly maxConnections: number
  private readonly synchronousCommit: boolean
  private nextProcessId = 100
  private ready: Backend[] = []
  private draining = false
  /** Commits that are not on disk yet. */
  private unflushed: Unsafe[] = []
  private cancelFlush: (() => void) | null = null
  private readonly standby: DatabaseSettings['standby']
  /** Commits that are on disk, but not on the standby. */
  private unshipped: Unsafe[] = []
  private cancelShipping: (() => void) | null = null
  private readonly lagMs: number
  /** Functions that cancel the pending arrivals at a lagging synchronous standby. */
  private readonly arrivals = new Set<() => void>()
  /** Until this time, a lagging standby is disconnected. */
  private awayUntilUs = 0

  constructor(host: DatabaseHost, settings: DatabaseSettings = {}) {
    this.host = host
    this.maxConnections = settings.maxConnections ?? 100
    this.synchronousCommit = settings.synchronousCommit ?? true
    this.standby = settings.standby
    this.lagMs = settings.standby === 'synchronous' ? (settings.standbyLagMs ?? 0) : 0
  }

  /** @throws SqlError 53300 if there are too many connections */
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
   * Crashes and restarts the server. All sessions end without a message, open transactions are
   * rolled back and unflushed commits are lost. A commit that waited for the standby is on disk:
   * other sessions see it after the restart, although the standby may lack it.
   * @returns the rows of the lost commits, the oldest first
   */
  crash(): readonly CommittedRow[] {
    for (const commit of this.unshipped) {
      if (commit.waiting === null) continue
      this.ids.commit(commit.xid)
      commit.waiting = null
    }
    return this.die(this.unflushed, 'disk')
  }

  /**
   * Loses the server with its disk and promotes the standby. All sessions end without a message.
   * The commits that the standby has not received are lost.
   * @returns the rows of the lost commits, the oldest first
   */
  failOver(): readonly CommittedRow[] {
    const lost = [...this.unshipped, ...this.unflushed].filter(({ waiting }) => waiting === null)
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
    this.stopShipping()
    for (const { xid } of lost) this.ids.abort(xid)
    this.unflushed = []
    for (const sequence of this.catalog.allSequences()) sequence.recover(from)
    this.catalog.recovered()
    return lost.flatMap(({ rows }) => rows)
  }

  /**
   * The process ids of the sessions that block this session, like pg_blocking_pids(); empty if this
   * session waits for no lock.
   */
  blockedBy(processId: number): readonly number[] {
    const waiting = this.sessions.get(processId)?.waiting
    return waiting ? this.locks.blockers(waiting).map((one) => one.processId) : []
  }

  /**
   * Marks a backend as ready. If several are ready at once, they run one after the other in random
   * order.
   */
  schedule(backend: Backend): void {
    if (!this.ready.includes(backend)) this.ready.push(backend)
    this.together(nothing)
  }

  /**
   * Queues the running backend in front of the ready backends. Returns false if no backend is
   * ready.
   */
  queueFirst(backend: Backend): boolean {
    if (this.ready.length === 0) return false
    this.ready.unshift(backend)
    return true
  }

  /** Runs `work`, and then all sessions that `work` has made ready. */
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

  /** True if the standby has a lag, so that a commit waits for its delayed confirmation. */
  get standbyLags(): boolean {
    return this.lagMs > 0
  }

  waitsForStandby(backend: Backend): boolean {
    return this.unshipped.some(({ waiting }) => waiting === backend)
  }

  /**
   * Flushes the commit and waits until the standby has confirmed it. Until then, no other session
   * sees the commit, and its locks are held. If the wait is canceled, other sessions see a commit
   * that the standby may lack.
   * https://www.postgresql.org/docs/15/warm-standby.html#SYNCHRONOUS-REPLICATION
   */
  *untilShipped(backend: Backend, { xid, rows }: Commit): Running<void> {
    const commit: Unsafe = { xid, rows, waiting: backend }
    this.unflushed.push(commit)
    this.flush()
    this.host.waitsForStandby?.()
    try {
      while (commit.waiting !== null) yield 'wait'
    } catch (error) {
      if (!(error instanceof SqlError)) throw error
      commit.waiting = null
      backend.notice({
        severity: 'WARNING',
        code: '01000',
        message: 'canceling wait for synchronous replication due to user request',
        detail: 'The transaction has already committed locally, but might not have been replicated to the standby.',
      })
    }
    if (rows.length > 0) this.host.visible?.(backend.processId, rows)
  }

  /** Called when a writing transaction of this session has committed. */
  committed(processId: number, { xid, rows }: Commit, waitsFor: 'nothing' | 'disk' | 'standby'): void {
    const commit: Unsafe = { xid, rows, waiting: null }
    if (this.unflushed.length === 0) this.unflushed = [commit]
    else this.unflushed.push(commit)
    if (rows.length > 0) this.host.visible?.(processId, rows)
    if (waitsFor !== 'nothing') this.flush(waitsFor)
    else {
      // The WAL writer wakes every 200 ms and may skip the newest page for two more rounds.
      this.cancelFlush ??= this.host.after(1 + this.host.chance('WAL writer, ms', 600) * 1000, () => this.flush())
    }
  }

  /**
   * Makes the catalog changes of a session visible to all sessions. Statements that were compiled
   * for this session alone are then valid for all sessions.
   */
  catalogCommitted(backend: Backend, topXid: number): void {
    const { catalog, compiled } = this
    const before = catalog.version
    catalog.committed(topXid)
    if (catalog.version === before || !catalog.isSettled) return
    for (const [node, one] of compiled)
      if (one.of === backend && one.version === before)
        compiled.set(node, { ...one, of: null, version: catalog.version })
  }

  /** Prunes the tables that an ended transaction has written. */
  tidy(written: readonly { readonly table: Table }[]): void {
    if (this.unflushed.length > 0 || this.unshipped.length > 0) return
    for (const { state } of this.sessions.values()) if (state.current) return
    for (const { table } of written) prune(this, table)
  }

  /** Writes all commits to disk. */
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

  /** Called after a restart of the server. A lagging standby reconnects within 5 s. */
  restarted(): void {
    if (this.standbyLags)
      this.awayUntilUs = this.host.nowUs() + this.host.chance('how soon the standby asks again, ms', retryMs) * 1000
    this.shipLater()
  }

  /** Sends the flushed commits to the standby. */
  shipLater(): void {
    const last = this.unshipped.at(-1)
    if (last === undefined) return
    if (this.standbyLags) {
      const awayUs = Math.max(0, this.awayUntilUs - this.host.nowUs())
      const cancel = this.host.after(awayUs + this.lagMs * 1000, () => {
        this.arrivals.delete(cancel)
        this.together(() => this.arrived(last))
      })
      this.arrivals.add(cancel)
      return
    }
    this.cancelShipping ??= this.host.after(1 + this.host.chance('lag of the standby, ms', 600) * 1000, () =>
      this.ship(),
    )
  }

  /** Marks all flushed commits as safe: the standby has them, or there is no standby. */
  ship(): void {
    this.stopShipping()
    const safe = this.unshipped
    this.unshipped = []
    this.safe(safe)
  }

  /**
   * Called when the standby has received this commit, all earlier ones, and the values that
   * sequences have logged so far. After a failover, sequence values may be skipped.
   */
  private arrived(last: Unsafe): void {
    this.safe(this.unshipped.splice(0, this.unshipped.indexOf(last) + 1))
  }

  private safe(commits: readonly Unsafe[]): void {
    for (const commit of commits) {
      if (commit.rows.length > 0) this.host.committed?.(commit.rows)
      const { waiting } = commit
      commit.waiting = null
      waiting?.wake()
    }
    for (const sequence of this.catalog.allSequences()) sequence.ship()
  }

  private stopShipping(): void {
    this.cancelShipping?.()
    this.cancelShipping = null
    for (const cancel of this.arrivals) cancel()
    this.arrivals.clear()
  }
}
