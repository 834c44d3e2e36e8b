/** Two parties want a server restarted at once: the fault that heals, and the run that ends. */
import { afterEach, expect, it } from 'vitest'
import type { Servers } from '../../../src/live/environment/environment.ts'
import { LivePostgres } from '../../../src/live/postgres/live-postgres.ts'
import { usualSettings } from '../../../src/live/postgres/postgres-machine.ts'
import { describeLivePostgres } from '../lab.ts'

describeLivePostgres('a PostgreSQL server of a run', (lab) => {
  let servers: Servers | null = null
  let server: LivePostgres | null = null
  afterEach(async () => {
    server?.close()
    await servers?.close()
  })

  it('is started once if two parties want it restarted at once, and again if it dies again', async () => {
    servers = await lab.environment.startServers('single', { stores: ['postgres'], postgres: usualSettings })
    const machine = servers.postgres!
    let starts = 0
    const start = machine.start.bind(machine)
    machine.start = () => {
      starts++
      return start()
    }
    server = new LivePostgres(machine)
    await server.open(false)
    for (const expected of [1, 2]) {
      await server.kill()
      await Promise.all([server.start(), server.start()])
      await server.start()
      expect([starts, server.up]).toEqual([expected, true])
      expect(await server.query('SELECT 1 AS one')).toEqual([{ one: 1 }])
    }
  })
})
