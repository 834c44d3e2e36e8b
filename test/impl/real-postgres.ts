/**
 * A real PostgreSQL for one test file, on a free loopback port. Without an installation, the tests
 * are skipped with the reason.
 */
import { Pool, type PoolConfig } from 'pg'
import { type PostgresServer, startPostgres } from 'test-servers'
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest'
import { createOnceTables } from '../../src/impl/once.ts'
import { needs, pathOf } from '../needs/needs.ts'

export interface RealPostgres {
  server: PostgresServer
  /** The pool of the superuser. */
  pool: Pool
  /** Opens another pool, which is closed after the test. */
  open(options?: PoolConfig): Pool
  /** Returns the rows of a query. */
  rows(sql: string, values?: unknown[]): Promise<Record<string, unknown>[]>
  /** Starts a standby of the server, which is stopped after the test. */
  standby(): Promise<PostgresServer>
}

/**
 * A suite with a real server. Before each test, it has the empty tables of the layer, and a table
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
        // Not awaited, because a test may leave a client like a dead process.
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
