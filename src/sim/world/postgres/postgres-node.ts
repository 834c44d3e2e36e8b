import { type CommittedRow, Database, type DatabaseHost, type Session, SqlError, type Startup } from 'postgres-sim'
import type { MachineClock } from 'virtual-node/kernel'
import type { ClientSide, Listener, ServerEnd } from 'virtual-node/network'
import type { VirtualProcess } from 'virtual-node/runtime'
import type { PostgresPlan } from '../../../contract/api/plan.ts'
import type { StoreServer } from '../../../run/ports.ts'
import { effectsTable } from '../../../run/sink/effects-table.ts'
import { type MachineAddress, ServerMachine } from '../server-machine.ts'
import type { StoreWait } from '../store-site.ts'
import type { TransactionalSink } from '../transactional-sink.ts'
import type { World } from '../world-state.ts'
import { ServedSession } from './served-session.ts'
import { SessionRecorder } from './session-recorder.ts'
import type { SessionEvent } from './session-traffic.ts'
import { StatementTap } from './statement-tap.ts'

interface NodeSettings extends PostgresPlan {
  readonly transactional: TransactionalSink | null
  /**
   * True if the layer limits how long a silent client keeps a transaction open, so that the server
   * need not limit it.
   */
  readonly limitsTransactions: boolean
}

/** The machine of the PostgreSQL server: its process, its disk, and the faults of both. */
export class PostgresNode extends ServerMachine implements Listener, StoreServer, DatabaseHost {
  readonly runs = 'postgres'
  readonly hasDisk = true
  readonly tap: StatementTap
  readonly #database: Database
  readonly #traffic: SessionRecorder | null
  readonly #clients = new Set<ServedSession>()
  /** True while other clients hold all sessions. */
  #exhausted = false
  /** True while the server replays its log after a crash. */
  #recovers = false
  /** True if the next start promotes the standby. */
  #promotes = false

  constructor(
    world: World,
    address: MachineAddress,
    clock: MachineClock,
    private readonly settings: NodeSettings,
    /** Receives the traffic of sessions; null if it is not recorded. */
    traffic: SessionEvent[] | null,
  ) {
    super(world, address, clock)
    this.tap = new StatementTap(world, this, settings.transactional)
    this.#database = new Database(this, settings)
    this.#traffic =
      traffic &&
      new SessionRecorder(traffic, {
        nowUs: () => this.nowUs(),
        blockedBy: (processId) => this.#database.blockedBy(processId),
      })
  }

  /** Called when the run is over; see `VirtualProcess.dispose`. */
  dispose(): void {
    this.#clients.clear()
  }

  /** Executes an operator's statements before everything else. They must succeed. */
  operate({ user, database }: { readonly user: string; readonly database: string }, sql: string): void {
    this.#traffic?.prepared(sql)
    const parameters: Record<string, string> = this.#database.standbyLags ? { synchronous_commit: 'local' } : {}
    const session = this.#database.connect({ user, database, parameters })
    for (const statement of session.parse(sql))
      session.execute(statement, [], (outcome) => {
        if (!outcome.ok) throw outcome.error
      })
    session.end()
  }

  get keepaliveMs(): number {
    return this.settings.limitsTransactions ? keepaliveMs.usual : keepaliveMs.operated
  }

  get hasStandby(): boolean {
    return this.settings.standby !== undefined
  }

  /** Makes all commits durable. */
  checkpoint(): void {
    this.#database.flush()
    this.#database.ship()
  }

  // Connections.

  accept(connection: ClientSide): ServerEnd | null {
    if (!this.up) return null
    const client = new ServedSession(this, connection, this.#traffic?.listener() ?? null)
    this.#clients.add(client)
    return client
  }

  /** The waiting statements of the process's sessions. */
  waitsOf(process: VirtualProcess): StoreWait[] {
    return [...this.#clients].flatMap(({ connection, executing }) =>
      connection.process === process && executing !== null ? [{ command: executing }] : [],
    )
  }

  forget(client: ServedSession): void {
    this.#clients.delete(client)
  }

  /** @throws SqlError if it accepts no clients */
  connect(startup: Startup): Session {
    if (this.#recovers) throw new SqlError('57P03', 'the database system is starting up', fatal)
    if (this.#exhausted) throw new SqlError('53300', 'sorry, too many clients already', fatal)
    return this.#database.connect(startup)
  }

  cancel(processId: number, secretKey: number): void {
    this.#traffic?.fault('a statement that is cancelled')
    for (const client of this.#clients) if (client.processId === processId) client.cancelled(secretKey)
  }

  // Faults.

  /**
   * Kills the server. `withDisk`: the disk is lost, too, so the standby takes over at the next
   * start.
   */
  stop(withDisk: boolean): void {
    this.endLife(() => {
      this.#traffic?.fault('a server that died')
      const clients = [...this.#clients]
      this.#clients.clear()
      for (const client of clients) client.serverDied()
      this.#promotes = withDisk
      const lost = withDisk ? this.#database.failOver() : this.#database.crash()
      if (lost.length === 0) return
      const redisKeys = lost.map(({ table, values }) => [table, ...Object.values(values)].join(' '))
      const cause = withDisk ? 'failover' : 'restart'
      const effects = inserted(lost).map(({ values }) => values.key ?? '')
      const lostEffects = effects.length === 0 ? {} : { effects }
      this.world.recorder.fact({ type: 'data-lost', node: this.name, cause, redisKeys, ...lostEffects })
    })
  }

  start(): void {
    this.beginLife()
    if (this.#promotes && this.settings.standby === 'asynchronous')
      this.world.recorder.fact({
        type: 'topology',
        node: this.name,
        what: 'promoted',
        sentence: `${this.name} is its former standby now, which may lack the latest commits, on a new timeline`,
      })
    this.#database.restarted()
    // A promoted standby needs no recovery, because it replays the log all the time.
    this.#recovers = this.settings.recoveryMs > 0 && !this.#promotes
    if (this.#recovers)
      this.schedule(this.settings.recoveryMs * 1000, () => {
        this.#recovers = false
      })
  }

  exhaust(on: boolean): boolean {
    if (this.#exhausted === on) return false
    this.#exhausted = on
    return true
  }

  // The host of the database.

  after(delayUs: number, work: () => void): () => void {
    // A layer may request any time. PostgreSQL does not wait for `pg_sleep('NaN')`.
    return this.schedule(Math.min(delayUs || 0, Number.MAX_SAFE_INTEGER), work)
  }

  chance(what: string, n: number): number {
    return decisions.has(what) ? this.choices.choose(what, n) : this.choices.random(what, n)
  }

  typeMade(oid: number, name: string): void {
    this.#traffic?.typeMade(oid, name)
  }

  goesOn(processId: number): void {
    this.#traffic?.goesOn(processId)
  }

  reportedTime(processId: number): void {
    if (this.world.scheduleRecorder === null) return
    const client = this.#clientOf(processId)
    if (client !== undefined) this.tap.reportedTime(client.connection)
  }

  override unsupported(what: string): void {
    this.#traffic?.fault('statements that are not simulated')
    super.unsupported(what)
  }

  watches(table: string): boolean {
    return this.settings.transactional !== null && table === effectsTable
  }

  visible(processId: number, rows: readonly CommittedRow[]): void {
    const { transactional } = this.settings
    const client = this.#clientOf(processId)
    if (transactional === null || client === undefined) return
    for (const { values } of inserted(rows)) {
      const requestId = transactional.requestOf(values)
      if (requestId !== null) this.tap.committed(client.connection, requestId)
    }
  }

  #clientOf(processId: number): ServedSession | undefined {
    return [...this.#clients].find((one) => one.processId === processId)
  }

  waitsForStandby(): void {
    this.#traffic?.fault('a commit that waits for a standby')
  }

  committed(rows: readonly CommittedRow[]): void {
    const { transactional } = this.settings
    if (transactional === null) return
    for (const { table, change, values } of rows) {
      if (table !== effectsTable) continue
      if (change !== 'insert') this.unsupported(`a row of ${effectsTable} that is changed or deleted`)
      else if (!transactional.committed(values))
        this.unsupported(`a row of ${effectsTable} that the sink did not create`)
    }
  }
}

const inserted = (rows: readonly CommittedRow[]) =>
  rows.filter(({ table, change }) => table === effectsTable && change === 'insert')

/**
 * How long the server keeps a session whose client no longer answers. `usual`: Linux's two hours,
 * and nine probes 75 s apart (tcp(7)). `operated`: with an operator's `tcp_keepalives_idle`.
 */
const keepaliveMs = { usual: (7200 + 9 * 75) * 1000, operated: 15_000 }

const fatal = { severity: 'FATAL' } as const

/**
 * Choices for which shrinking may take the calmest value. Other random values of the database must
 * stay distinct, such as session keys and ids.
 */
const decisions: ReadonlySet<string> = new Set([
  'which session goes on first',
  'WAL writer, ms',
  'lag of the standby, ms',
  'how soon the standby asks again, ms',
])
