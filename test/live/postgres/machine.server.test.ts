/** A local server that is killed, paused, and removed with all its resources. */
import fs from 'node:fs'
import path from 'node:path'
import { Client } from 'pg'
import { expect, it } from 'vitest'
import type { PostgresMachine } from '../../../src/live/postgres/postgres-machine.ts'
import { usualSettings } from '../../../src/live/postgres/postgres-machine.ts'
import { describeLivePostgres } from '../lab.ts'

/** The ids of the System V shared memory segments of the machine. */
const segments = (): string[] =>
  fs
    .readFileSync('/proc/sysvipc/shm', 'utf8')
    .split('\n')
    .flatMap((line) => line.trim().split(/\s+/)[1] ?? [])

/** The id of the segment of the server with that data folder. */
const segmentOf = (data: string): string =>
  fs.readFileSync(path.join(data, 'postmaster.pid'), 'utf8').split('\n')[6]!.trim().split(/\s+/)[1]!

describeLivePostgres('a local PostgreSQL server', (lab) => {
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

  it('does not notify clients when it is killed: their connections close', async () => {
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

  it('restarts on the same port, and leaves nothing behind when it is closed, killed or not', async () => {
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

  it('answers no client while it is paused, not even new ones, and all of them later', async () => {
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
