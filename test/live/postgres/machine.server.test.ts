/** A server of our own: killed, stopped, and gone with all that it had. */
import fs from 'node:fs'
import path from 'node:path'
import { Client } from 'pg'
import { expect, it } from 'vitest'
import type { PostgresMachine } from '../../../src/live/postgres/postgres-machine.ts'
import { usualSettings } from '../../../src/live/postgres/postgres-machine.ts'
import { describeLivePostgres } from '../lab.ts'

/** By id, those of System V memory that the machine has. */
const segments = (): string[] =>
  fs
    .readFileSync('/proc/sysvipc/shm', 'utf8')
    .split('\n')
    .flatMap((line) => line.trim().split(/\s+/)[1] ?? [])

/** The one of the server with that folder. */
const segmentOf = (data: string): string =>
  fs.readFileSync(path.join(data, 'postmaster.pid'), 'utf8').split('\n')[6]!.trim().split(/\s+/)[1]!

describeLivePostgres('a PostgreSQL server of our own', (lab) => {
  const start = async (): Promise<PostgresMachine> => {
    const servers = await lab.environment.startServers('single', { stores: ['postgres'], postgres: usualSettings })
    return servers.postgres!
  }

  async function connected({ host, port, operator }: PostgresMachine) {
    const client = new Client({ host, port, ...operator })
    const errors: Error[] = []
    client.on('error', (error) => void errors.push(error))
    await client.connect()
    return { client, errors }
  }

  it('tells nobody when it is killed: its clients find their connections closed', async () => {
    const machine = await start()
    const { client, errors } = await connected(machine)
    // A server that is killed before it has read a query resets the connection.
    const begins = new Promise((resolve) => client.once('notice', resolve))
    const waiting = client
      .query("DO $$ BEGIN RAISE NOTICE 'begins'; PERFORM pg_sleep(60); END $$")
      .catch((error: Error) => error.message)
    await begins
    await machine.kill()
    expect([await waiting, errors.map(({ message }) => message)]).toEqual([
      'Connection terminated unexpectedly',
      ['Connection terminated unexpectedly'],
    ])
    expect(await machine.isAlive()).toBe(false)
    await machine.close()
  })

  it('comes back on the same port, and leaves nothing when it is closed, killed or not', async () => {
    for (const isKilled of [false, true]) {
      const machine = await start()
      const { client } = await connected(machine)
      const [{ data_directory: data }] = (await client.query('SHOW data_directory')).rows
      await machine.kill()
      await machine.start()
      const again = await connected(machine)
      expect((await again.client.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }])
      const segment = segmentOf(data)
      expect(segments()).toContain(segment)
      if (isKilled) await machine.kill()
      await machine.close()
      expect(fs.existsSync(data)).toBe(false)

      expect(segments()).not.toContain(segment)
    }
  })

  it('answers nobody while it stands still, not even new clients, and all of them later', async () => {
    const machine = await start()
    const { client } = await connected(machine)
    await machine.freeze(true)
    let answered = 0
    const asked = [client.query('SELECT 1'), connected(machine)].map((one) => one.then(() => answered++))
    await new Promise((resolve) => setTimeout(resolve, 300))
    expect(answered).toBe(0)
    await machine.freeze(false)
    await Promise.all(asked)
    await machine.close()
  })
})
