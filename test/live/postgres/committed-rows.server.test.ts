/**
 * Which visible rows a real server has kept, and when transactions committed by the clock of the
 * run.
 */
import { Client } from 'pg'
import { expect, it } from 'vitest'
import { effectRows, lostRows, seenRows, serverUs } from '../../../src/live/postgres/committed-rows.ts'
import { LivePostgres } from '../../../src/live/postgres/live-postgres.ts'
import { usualSettings } from '../../../src/live/postgres/postgres-machine.ts'
import { onRunClock, readClock } from '../../../src/live/postgres/server-time.ts'
import { describeLivePostgres } from '../lab.ts'

describeLivePostgres('rows of a real server', (lab) => {
  /** Commits without waiting are not durable, because the WAL writer is paused. */
  async function withServer(work: (server: LivePostgres) => Promise<void>): Promise<void> {
    const servers = await lab.environment.startServers('single', { stores: ['postgres'], postgres: usualSettings })
    const server = new LivePostgres(servers.postgres!)
    try {
      await server.open(true)
      const [writer] = await server.query("SELECT pid FROM pg_stat_activity WHERE backend_type = 'walwriter'")
      process.kill((writer as { pid: number }).pid, 'SIGSTOP')
      await server.query('CREATE TABLE records (key text, value int)')
      await work(server)
    } finally {
      server.close()
      await servers.close()
    }
  }

  it('are lost if their transaction was visible and is missing after a crash', () =>
    withServer(async (server) => {
      await server.query("INSERT INTO records VALUES ('kept', 1)")
      await server.query('SET synchronous_commit = off')
      await server.query("INSERT INTO records VALUES ('gone', 2)")
      const seen = await seenRows(server)
      expect(seen.map(({ table, key, text }) => [table, key, text])).toEqual([
        ['records', 'kept', 'kept 1'],
        ['records', 'gone', 'gone 2'],
      ])
      await server.kill()
      await server.start()
      // Another transaction gets the id of the lost one.
      await server.query("INSERT INTO records VALUES ('later', 3)")
      expect((await lostRows(server, seen)).map(({ key }) => key)).toEqual(['gone'])
    }))

  it('are not lost if they were changed or deleted after they were seen, or if all was durable', () =>
    withServer(async (server) => {
      await server.query("INSERT INTO records VALUES ('changed', 1), ('deleted', 2), ('left', 3)")
      const seen = await seenRows(server)
      await server.query("DELETE FROM records WHERE key = 'deleted'")
      await server.query("UPDATE records SET value = 9 WHERE key = 'changed'")
      await server.kill()
      await server.start()
      expect(await lostRows(server, seen)).toEqual([])
      expect((await seenRows(server)).map(({ text }) => text).sort()).toEqual(['changed 9', 'left 3'])
    }))

  it('are read with any column name, but not from temporary tables, and an unlogged table loses all', () =>
    withServer(async (server) => {
      await server.query('CREATE TABLE named (t int, key text)')
      await server.query("INSERT INTO named VALUES (1, 'kept')")
      await server.query('CREATE UNLOGGED TABLE cached (key text)')
      await server.query("INSERT INTO cached VALUES ('gone')")
      const { host, port, operator, login } = server.machine
      const other = new Client({ host, port, ...operator, database: login.database })
      other.on('error', () => {})
      await other.connect()
      await other.query('CREATE TEMPORARY TABLE mine (key text)')
      const seen = await seenRows(server)
      expect(seen.map(({ table, text }) => [table, text]).sort()).toEqual([
        ['cached', 'gone'],
        ['named', '1 kept'],
      ])
      await server.kill()
      await server.start()
      expect((await lostRows(server, seen)).map(({ table }) => table)).toEqual(['cached'])
    }))

  it('in a locked table are skipped without waiting', () =>
    withServer(async (server) => {
      await server.query("INSERT INTO records VALUES ('kept', 1)")
      const { host, port, operator, login } = server.machine
      const other = new Client({ host, port, ...operator, database: login.database })
      await other.connect()
      await other.query('BEGIN; LOCK TABLE records IN ACCESS EXCLUSIVE MODE')
      expect(await seenRows(server)).toEqual([])
      await other.query('ROLLBACK')
      expect(await seenRows(server)).toHaveLength(1)
      await other.end()
    }))

  it('have the time of their commit, not of their statement, if they are effects', () =>
    withServer(async (server) => {
      const nowUs = () => performance.now() * 1000
      let slowestUs = 0
      const read = async () => {
        const fromUs = nowUs()
        const reading = await readClock(() => serverUs(server), nowUs)
        slowestUs = Math.max(slowestUs, nowUs() - fromUs)
        return reading
      }
      const first = await read()
      await server.query('BEGIN')
      await server.query("INSERT INTO onceproof_effects VALUES ('effect-1', 'order-1', '1')")
      await new Promise((resolve) => setTimeout(resolve, 100))
      const beforeUs = nowUs()
      await server.query('COMMIT')
      const afterUs = nowUs()
      await server.query('BEGIN')
      await server.query("INSERT INTO onceproof_effects VALUES ('effect-2', 'order-2', '2')")
      await server.query('ROLLBACK')
      const last = await read()
      const rows = await effectRows(server)
      expect(rows.map(({ effectId, key, payload }) => [effectId, key, payload])).toEqual([['effect-1', 'order-1', '1']])
      const atUs = onRunClock(rows[0]!.atUs, first, last)
      // The precision of the reading of the server’s clock.
      expect(atUs).toBeGreaterThan(beforeUs - slowestUs)
      expect(atUs).toBeLessThan(afterUs + slowestUs)
    }))
})
