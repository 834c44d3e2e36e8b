/** Controls a PostgreSQL server; how depends on where it runs. */
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
  /** The login of the harness; it may do everything. */
  readonly operator: Login
  /**
   * The login of the layer, which may create tables. Its role and database are created if `makes`
   * is true.
   */
  readonly login: Login
  readonly makes: boolean
  /** False once it ended without being asked to. */
  isAlive(): Promise<boolean>
  /** Kills it immediately, with all of its sessions. */
  kill(): Promise<void>
  /** Starts it with the data on its disk. Resolves when it accepts clients. */
  start(): Promise<void>
  freeze(on: boolean): Promise<void>
  /** Removes it and its data. */
  close(): Promise<void>
}

/** The settings of a server. */
export type PostgresSettings = Pick<PostgresPlan, 'synchronousCommit' | 'maxConnections'>

/** Provides the PostgreSQL servers of live runs. */
export interface PostgresHost {
  /** `PostgreSQL 15.20`, with its location. */
  readonly about: string
  /** Why its servers do not allow that; null if they do. */
  refuses(power: Power): string | null
  /** Starts a new server for a run. @throws LiveProblem */
  start(settings: PostgresSettings): Promise<PostgresMachine>
  close(): Promise<void>
}

/** PostgreSQL's defaults. */
export const usualSettings: PostgresSettings = { synchronousCommit: true, maxConnections: 100 }
