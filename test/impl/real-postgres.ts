/**
 * A real PostgreSQL for one test file, on a free loopback port; where it is not installed the tests
 * are skipped by name.
 */
import { Pool, type PoolConfig } from 'pg'
import { type PostgresServer, startPostgres } from 'test-servers'
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest'
import { createOnceTables } from '../../src/impl/once.ts'
import { needs, pathOf } from '../needs/needs.ts'

export interface RealPostgres {
  server: PostgresServer
  /** Of the superuser. */
  pool: Pool
  /** Another pool, which is closed after the test. */
  open(options?: PoolConfig): Pool
  /** The rows of a query. */
  rows(sql: string, values?: unknown[]): Promise<Record<string, unknown>[]>
  /** A standby of the server, which is stopped after the test. */
  standby(): Promise<PostgresServer>
}

/**
 * A suite against a real server; before each test it has the layer's tables, empty, and a table
 * `effects`.
 */
export function describeOnPostgres(name: string, suite: (postgres: RealPostgres) => void): void {
  needs({ postgres: '15' }).describe(name, () => {
    const postgres = {} as RealPostgres
    const open: (() => Promise<unknown>)[] = []
    beforeAll(async () => {
      postgres.server = await startPostgres(pathOf('postgres'))
      const at = { host: '127.0.0.1', port: postgres.server.port, user: 'postgres', database: 'postgres' }
      const made = (options: PoolConfig = {}) => {
        const pool = new Pool({ ...at, max: 20, ...options })
        pool.on('error', () => {})
        return pool
      }
      postgres.pool = made()
      postgres.open = (options) => {
        const pool = made(options)
        // Not awaited: a test may leave a client as a process does that has died.
        open.push(async () => void pool.end())
        return pool
      }
      postgres.standby = async () => {
        const standby = await startPostgres(pathOf('postgres'), ['hot_standby=on'], postgres.server)
        open.push(() => standby.stop())
        return standby
      }
      postgres.rows = async (sql, values) => (await postgres.pool.query(sql, values)).rows
    }, 60_000)
    beforeEach(async () => {
      await postgres.rows('DROP TABLE IF EXISTS once_records, once_generations, effects')
      await createOnceTables({ pool: postgres.pool })
      await postgres.rows('CREATE TABLE effects (key text, session int DEFAULT pg_backend_pid())')
    })
    afterEach(async () => {
      for (const close of open.splice(0).reverse()) await close()
    })
    afterAll(async () => {
      void postgres.pool?.end()
      await postgres.server?.stop()
    })
    suite(postgres)
  })
}
