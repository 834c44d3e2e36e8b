/** Controls a PostgreSQL server. Implementations differ by where the server runs. */
import type { PostgresPlan } from '../../contract/api/plan.ts'
import type { Address } from '../proxy/link-proxy.ts'
import type { Power } from '../servers/live-server.ts'

/** The credentials and database of a client. */
export interface Login {
  readonly user: string
  readonly password: string
  readonly database: string
}

export interface PostgresMachine extends Address {
  /** The login of the harness, which has all rights. */
  readonly operator: Login
  /**
   * The login of the layer, which may create tables. If `makes` is true, its role and database must
   * be created.
   */
  readonly login: Login
  readonly makes: boolean
  /** Resolves to false if the server ended without being asked to. */
  isAlive(): Promise<boolean>
  /** Kills the server immediately, with all of its sessions. */
  kill(): Promise<void>
  /** Starts the server with the data on its disk. Resolves when it accepts clients. */
  start(): Promise<void>
  freeze(on: boolean): Promise<void>
  /** Removes the server and its data. */
  close(): Promise<void>
}

/** The settings of a server. */
export type PostgresSettings = Pick<PostgresPlan, 'synchronousCommit' | 'maxConnections'>

/** Provides the PostgreSQL servers of live runs. */
export interface PostgresHost {
  /** The version and location, such as `PostgreSQL 15.20` with its location. */
  readonly about: string
  /** Why the servers do not allow the power; null if they allow it. */
  refuses(power: Power): string | null
  /**
   * Starts a new server for a run.
   * @throws LiveProblem
   */
  start(settings: PostgresSettings): Promise<PostgresMachine>
  close(): Promise<void>
}

/** PostgreSQL's defaults. */
export const usualSettings: PostgresSettings = { synchronousCommit: true, maxConnections: 100 }
