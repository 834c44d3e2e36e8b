import type { SqlError, SqlNotice } from './sql-error.ts'

/** What the database asks of the machine that it runs on. */
export interface DatabaseHost {
  /** Unix time in microseconds by the machine's clock. */
  nowUs(): number
  /** Runs `work` after that much time; the answer cancels it. */
  after(delayUs: number, work: () => void): () => void
  /** A whole number from 0 to n - 1. */
  chance(what: string, n: number): number
  /**
   * SQL that real PostgreSQL would take and this one does not: by name; the run is then
   * unsupported.
   */
  unsupported(what: string): void
  /**
   * A statement of that session is told the time by the server's clock: of now, or of when its
   * transaction began.
   */
  reportedTime?(processId: number): void
  /** That session executes now: at first, and whenever what it waited for was let go. */
  goesOn?(processId: number): void
  /** A type was made. Descriptions of columns have its number. */
  typeMade?(oid: number, name: string): void
  /**
   * The host must learn of each row of that table: what takes all rows at once is not simulated
   * there.
   */
  watches?(table: string): boolean
  /**
   * The transaction of that session has committed: others see its rows. A crash may still lose
   * them.
   */
  visible?(processId: number, rows: readonly CommittedRow[]): void
  /** A commit is on the disk, and waits for the standby before others see it. */
  waitsForStandby?(): void
  /** A transaction that wrote became durable and visible: its rows, in the order of writing. */
  committed?(rows: readonly CommittedRow[]): void
}

/** One row as a committed transaction left it. Values are in PostgreSQL's text format. */
export interface CommittedRow {
  readonly table: string
  readonly change: 'insert' | 'update' | 'delete'
  /** What the row holds now, or held before it was deleted. */
  readonly values: Readonly<Record<string, string | null>>
}

export interface Field {
  readonly name: string
  readonly typeOid: number
  /** Bytes, -1 for a type of variable length. */
  readonly typeSize: number
  readonly typeModifier: number
  /** 0 where the column is not a table's. */
  readonly tableOid: number
  readonly column: number
}

export interface Statement {
  readonly text: string
  /** The first words of its command tag: 'SELECT', 'INSERT', 'CREATE TABLE'. */
  readonly tag: string
  /** Empty where `parse` was not given parameter types. */
  readonly parameterTypes: readonly number[]
  /** Null where it returns no rows, and where `parse` was not given parameter types. */
  readonly fields: readonly Field[] | null
}

export type Outcome =
  | {
      readonly ok: true
      readonly tag: string
      readonly fields: readonly Field[] | null
      readonly rows: readonly (readonly (string | null)[])[]
    }
  | { readonly ok: false; readonly error: SqlError }

export interface Startup {
  readonly user: string
  readonly database: string
  readonly parameters: Readonly<Record<string, string>>
}

export interface Session {
  readonly processId: number
  readonly secretKey: number
  /** As ReadyForQuery has it. */
  readonly status: 'I' | 'T' | 'E'
  /** Its end lets something go: what is open is rolled back, or a lock is. */
  readonly holds: boolean
  /**
   * The statements of one text. With parameter types (0: to be inferred) they are analysed at once,
   * as Parse of the extended protocol does; without, each is analysed when it is executed, as in a
   * simple query.
   * @throws SqlError; the transaction that is open has then failed
   */
  parse(sql: string, parameterTypes?: readonly number[]): readonly Statement[]
  /**
   * Whether the text is a value of that parameter's type, counted from 0. @throws SqlError where it
   * is none
   */
  check(statement: Statement, parameter: number, text: string): void
  /** Calls back once, at once or when a row, key or lock that it waits for was let go. */
  execute(statement: Statement, parameters: readonly (string | null)[], done: (outcome: Outcome) => void): void
  /** The settings that a client reads when its session begins: ParameterStatus. */
  reported(): readonly (readonly [name: string, value: string])[]
  /**
   * What follows is one transaction until `endImplicit`: the statements of one simple query
   * (`isOneText`), or all up to Sync.
   */
  beginImplicit(isOneText: boolean): void
  /**
   * Commits what `beginImplicit` opened, or rolls it back; calls back when that is done, with the
   * error of a commit that failed.
   */
  endImplicit(ok: boolean, done: (error: SqlError | null) => void): void
  /**
   * An error of the protocol's came in place of a statement: the transaction that is open has
   * failed.
   */
  fail(): void
  /** CancelRequest. */
  cancel(): void
  /** The connection is gone: what is open is rolled back. */
  end(): void
  /** Null: nobody listens. */
  client: SessionClient | null
}

/**
 * What a session's client hears beside its answers. An object, not functions: V8 puts those that
 * are assigned to a property among the old objects, where they would keep the whole world of a run
 * that is over (docs/findings/benchmarks.md, "What a run costs beside its events").
 */
export interface SessionClient {
  /** NotificationResponse: notifications that came, delivered outside of a transaction. */
  notified?(channel: string, payload: string, fromProcessId: number): void
  noticed?(notice: SqlNotice): void
  /** ParameterStatus: a setting that clients hear of has changed. */
  settingChanged?(name: string, value: string): void
  /** The server ends the connection by itself: idle_in_transaction_session_timeout. */
  terminated?(error: SqlError): void
}
