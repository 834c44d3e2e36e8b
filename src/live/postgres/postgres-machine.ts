/** What ends, starts and stops a PostgreSQL server; how depends on where it runs. */
import type { PostgresPlan } from '../../contract/api/plan.ts'
import type { Address } from '../proxy/link-proxy.ts'
import type { Power } from '../servers/live-server.ts'

/** What clients come with. */
export interface Login {
  readonly user: string
  readonly password: string
  readonly database: string
}

export interface PostgresMachine extends Address {
  /** The harness's own; it may do everything. */
  readonly operator: Login
  /** The layer's: may create tables. Its role and database are made where `makes` says so. */
  readonly login: Login
  readonly makes: boolean
  /** False once it ended without being asked to. */
  isAlive(): Promise<boolean>
  /** At once, with all of its sessions. */
  kill(): Promise<void>
  /** With what its disk has. Resolves when it takes clients. */
  start(): Promise<void>
  freeze(on: boolean): Promise<void>
  /** Gone, with what was on it. */
  close(): Promise<void>
}

/** What a server is to be like. */
export type PostgresSettings = Pick<PostgresPlan, 'synchronousCommit' | 'maxConnections'>

/** Where PostgreSQL servers of live runs come from. */
export interface PostgresHost {
  /** `PostgreSQL 15.20`, with where that is. */
  readonly about: string
  /** Why its servers do not let that happen; null where they do. */
  refuses(power: Power): string | null
  /** A new one for each run. @throws LiveProblem */
  start(settings: PostgresSettings): Promise<PostgresMachine>
  close(): Promise<void>
}

/** PostgreSQL's defaults. */
export const usualSettings: PostgresSettings = { synchronousCommit: true, maxConnections: 100 }
