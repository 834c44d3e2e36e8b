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
  /** The server's own synchronous_commit. */
  readonly synchronousCommit?: boolean
  /**
   * A second server gets what is on the first one's disk: at once, and before a commit is answered,
   * or later.
   */
  readonly standby?: 'synchronous' | 'asynchronous'
  /** How much later a synchronous standby has a commit, and says so. Absent: it has it at once. */
  readonly standbyLagMs?: number
}

interface Commit {
  readonly xid: number
  readonly rows: readonly CommittedRow[]
}

/** A commit that can still be lost. */
interface Unsafe extends Commit {
  /** Null: others see it. Else it waits for the standby, and its session goes on by this. */
  waiting: Backend | null
}

const nothing = (): void => {}

/**
 * How long a standby that lost its primary waits before it asks it again:
 * wal_retrieve_retry_interval.
 */
const retryMs = 5000

/** Three of PostgreSQL's connections are kept for superusers. */
const reserved = 3

/**
 * One PostgreSQL 15 server with one database. Its fault model: it dies by `crash()`, and what was
 * not flushed is lost then; or it is lost with its disk by `failOver()`, and its standby goes on
 * with what that has got. It does not run out of memory or disk, loses no single write, and is not
 * slow: time is what waits take. The lost server never comes back as a second primary.
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
  private unflushed: Unsafe[] = []
  private cancelFlush: (() => void) | null = null
  private readonly standby: DatabaseSettings['standby']
  /** On the disk, and not on the standby. */
  private unshipped: Unsafe[] = []
  private cancelShipping: (() => void) | null = null
  private readonly lagMs: number
  /** Cancels each arrival at a synchronous standby that lags. */
  private readonly arrivals = new Set<() => void>()
  /** Until then a standby that lags hears nothing. */
  private awayUntilUs = 0

  constructor(host: DatabaseHost, settings: DatabaseSettings = {}) {
    this.host = host
    this.maxConnections = settings.maxConnections ?? 100
    this.synchronousCommit = settings.synchronousCommit ?? true
    this.standby = settings.standby
    this.lagMs = settings.standby === 'synchronous' ? (settings.standbyLagMs ?? 0) : 0
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
   * The machine dies: sessions are gone without a word, commits that were not flushed are lost,
   * what was open is rolled back.
   * A commit that waited for the standby is on the disk: others see it from then on, and the
   * standby may still lack it.
   * @returns the rows of the commits that are lost, the oldest first
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
   * The machine is lost with its disk, and its standby takes its place: sessions are gone without a
   * word, as are the commits that the standby had not got.
   * @returns the rows of the commits that are lost, the oldest first
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

  /** Whom a session waits for, as pg_blocking_pids() has it; empty where it waits for no lock. */
  blockedBy(processId: number): readonly number[] {
    const waiting = this.sessions.get(processId)?.waiting
    return waiting ? this.locks.blockers(waiting).map((one) => one.processId) : []
  }

  /**
   * A backend can go on. Those that can at the same time go one after the other, in an order that
   * is chance.
   */
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

  /** Whether a commit waits for an answer of the standby. */
  get standbyLags(): boolean {
    return this.lagMs > 0
  }

  waitsForStandby(backend: Backend): boolean {
    return this.unshipped.some(({ waiting }) => waiting === backend)
  }

  /**
   * A transaction of that session is on the disk. Until the standby has it, no other session sees
   * it, and its locks are held. After a wait that is cancelled, others see a commit that the
   * standby may lack.
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

  /** A transaction of that session that wrote has committed. */
  committed(processId: number, { xid, rows }: Commit, waitsFor: 'nothing' | 'disk' | 'standby'): void {
    const commit: Unsafe = { xid, rows, waiting: null }
    if (this.unflushed.length === 0) this.unflushed = [commit]
    else this.unflushed.push(commit)
    if (rows.length > 0) this.host.visible?.(processId, rows)
    if (waitsFor !== 'nothing') this.flush(waitsFor)
    else {
      // The WAL writer comes by every 200 ms, and may leave the newest page for its next two
      // rounds.
      this.cancelFlush ??= this.host.after(1 + this.host.chance('WAL writer, ms', 600) * 1000, () => this.flush())
    }
  }

  /**
   * What a session made and dropped is so for all from now on, and what was compiled for its eyes
   * fits all.
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

  /** The server is there again. A standby that lags has lost it, and asks again within 5 s. */
  restarted(): void {
    if (this.standbyLags)
      this.awayUntilUs = this.host.nowUs() + this.host.chance('how soon the standby asks again, ms', retryMs) * 1000
    this.shipLater()
  }

  /** What is on the disk is on its way to the standby. */
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

  /** All that is on the disk is on the standby, if there is one: it cannot be lost any more. */
  ship(): void {
    this.stopShipping()
    const safe = this.unshipped
    this.unshipped = []
    this.safe(safe)
  }

  /**
   * The standby has that commit, and all before it. It gets all that sequences have logged by then:
   * after a failover, numbers may be left out.
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
