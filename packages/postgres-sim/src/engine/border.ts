import type { SqlError, SqlNotice } from './sql-error.ts'

/** The services of the host machine that the database uses. */
export interface DatabaseHost {
  /** Unix time of the machine's clock in microseconds. */
  nowUs(): number
  /** Runs `work` after this delay. The returned function cancels it. */
  after(delayUs: number, work: () => void): () => void
  /** A random integer from 0 to n - 1. */
  chance(what: string, n: number): number
  /**
   * Reports SQL that real PostgreSQL may accept and this server does not accept. The run becomes
   * unsupported.
   */
  unsupported(what: string): void
  /**
   * Called when a statement of this session reads the server's clock: the current time, or the
   * start time of its transaction or statement.
   */
  reportedTime?(processId: number): void
  /**
   * Called when the session starts or continues to execute: at the start of a statement and after
   * each wait.
   */
  goesOn?(processId: number): void
  /** Called when a type was created. Column descriptions contain its oid. */
  typeMade?(oid: number, name: string): void
  /**
   * True if the host must see each changed row of this table. Statements that remove all rows at
   * once (TRUNCATE, DROP TABLE) are then unsupported.
   */
  watches?(table: string): boolean
  /**
   * Called when the transaction of this session has committed and other sessions see its rows. A
   * crash may still lose these rows.
   */
  visible?(processId: number, rows: readonly CommittedRow[]): void
  /** Called when a commit is on disk and waits for the standby before other sessions see it. */
  waitsForStandby?(): void
  /**
   * Called when a transaction became durable and visible. The rows are in the order in which they
   * were written.
   */
  committed?(rows: readonly CommittedRow[]): void
}

/** One row as a committed transaction left it. Values are in PostgreSQL's text format. */
export interface CommittedRow {
  readonly table: string
  readonly change: 'insert' | 'update' | 'delete'
  /** The values of the row now, or before it was deleted. */
  readonly values: Readonly<Record<string, string | null>>
}

export interface Field {
  readonly name: string
  readonly typeOid: number
  /** Size of a value in bytes; -1 for a type of variable length. */
  readonly typeSize: number
  readonly typeModifier: number
  /** Oid of the column's table; 0 if the field is not a column of a table. */
  readonly tableOid: number
  readonly column: number
}

export interface Statement {
  readonly text: string
  /** The first words of the statement's command tag: 'SELECT', 'INSERT', 'CREATE TABLE'. */
  readonly tag: string
  /** Empty if `parse` was called without parameter types. */
  readonly parameterTypes: readonly number[]
  /** Null if the statement returns no rows, or if `parse` was called without parameter types. */
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
  /** The status that ReadyForQuery sends. */
  readonly status: 'I' | 'T' | 'E'
  /** True if closing the session releases something: an open transaction or a lock. */
  readonly holds: boolean
  /**
   * Parses all statements of one text. If parameter types are given (0: to be inferred), the
   * statements are analyzed now, like Parse of the extended protocol. Otherwise each statement is
   * analyzed when it is executed, like in a simple query.
   * @throws SqlError; the open transaction has then failed
   */
  parse(sql: string, parameterTypes?: readonly number[]): readonly Statement[]
  /**
   * Checks that the text is a valid value for the parameter, counted from 0.
   * @throws SqlError if the text is not valid
   */
  check(statement: Statement, parameter: number, text: string): void
  /**
   * Executes the statement. Calls `done` once: immediately, or after the locks that it waits for
   * have been released.
   */
  execute(statement: Statement, parameters: readonly (string | null)[], done: (outcome: Outcome) => void): void
  /** The settings that the server sends when a session begins (ParameterStatus). */
  reported(): readonly (readonly [name: string, value: string])[]
  /**
   * Opens an implicit transaction that lasts until `endImplicit`. It contains the statements of one
   * simple query (`isOneText`), or all statements up to Sync.
   */
  beginImplicit(isOneText: boolean): void
  /**
   * Commits or rolls back the implicit transaction. Calls `done` when that is complete, with the
   * error if the commit failed.
   */
  endImplicit(ok: boolean, done: (error: SqlError | null) => void): void
  /** Marks the open transaction as failed because of a protocol error. */
  fail(): void
  /** Executes a CancelRequest: makes the running statement fail. */
  cancel(): void
  /** Closes the session. An open transaction is rolled back. */
  end(): void
  /** The client of the session; null if no client is attached. */
  client: SessionClient | null
}

/**
 * Events that a session sends to its client in addition to results. They are methods of one object
 * instead of separate functions, because V8 allocates functions that are assigned to a property in
 * the old space, and they would then keep the world of a finished run alive
 * (docs/findings/where-time-goes.md, "What a run costs beside its events").
 */
export interface SessionClient {
  /** NotificationResponse: a notification, delivered outside of a transaction. */
  notified?(channel: string, payload: string, fromProcessId: number): void
  noticed?(notice: SqlNotice): void
  /** ParameterStatus: a reported setting has changed. */
  settingChanged?(name: string, value: string): void
  /** Called when the server ends the session because of a timeout. */
  terminated?(error: SqlError): void
}
