/**
 * Unmodified clients receive the same messages from the simulated PostgreSQL and from a real
 * PostgreSQL.
 */
import net from 'node:net'
import { Client, Pool, type QueryArrayConfig } from 'pg'
import postgres from 'postgres'
import { expect, it } from 'vitest'
import { BackendReader, type Response } from '../backend-messages.ts'
import { cancelRequest } from '../frontend-bytes.ts'
import { describeBothServers } from './both-servers.ts'

/**
 * Runs `work` with the port of a relay between client and server. `heard` contains the server's
 * messages on each connection.
 */
async function listened<T>(
  port: number,
  work: (port: number) => Promise<T>,
): Promise<{ heard: Response[][]; result: T }> {
  const heard: Response[][] = []
  const relay = net.createServer((client) => {
    const server = net.connect(port, '127.0.0.1')
    const reader = new BackendReader()
    const responses: Response[] = []
    heard.push(responses)
    server.on('data', (bytes) => responses.push(...reader.feed(bytes.toString('latin1'))))
    client.pipe(server).pipe(client)
    for (const socket of [client, server]) socket.on('error', () => {})
  })
  await new Promise<void>((resolve) => relay.listen(0, '127.0.0.1', resolve))
  try {
    return { result: await work((relay.address() as net.AddressInfo).port), heard }
  } finally {
    relay.close()
  }
}

const login = { host: '127.0.0.1', user: 'postgres', database: 'postgres', password: 'none' } as const

async function withPg(port: number) {
  const pool = new Pool({ ...login, port, max: 1 })
  const seen: unknown[] = []
  await pool.query('DROP TABLE IF EXISTS orders')
  await pool.query('CREATE TABLE orders (key text PRIMARY KEY, cents int, body jsonb, at timestamptz)')
  const inserted = await pool.query(
    'INSERT INTO orders VALUES ($1, $2, $3, $4) ON CONFLICT (key) DO NOTHING RETURNING *',
    ['order-1', 250, { lines: [1, null] }, new Date('2026-01-02T03:04:05.678Z')],
  )
  seen.push(inserted.rows, inserted.rowCount)
  const named = { name: 'by-key', text: 'SELECT cents, body FROM orders WHERE key = $1' }
  for (const key of ['order-1', 'order-2']) seen.push((await pool.query({ ...named, values: [key] })).rows)
  const client = await pool.connect()
  await client.query('BEGIN')
  await client.query('SELECT * FROM orders WHERE key = $1 FOR UPDATE', ['order-1'])
  seen.push(
    await client.query('INSERT INTO orders (key) VALUES ($1)', ['order-1']).catch(({ code, detail }) => [code, detail]),
  )
  seen.push(await client.query('SELECT 1').catch(({ code }) => code))
  await client.query('ROLLBACK')
  client.release()
  seen.push(
    (await pool.query({ text: 'SELECT cents FROM orders', rowMode: 'array', binary: true } as QueryArrayConfig)).rows,
  )
  await pool.end()
  return seen
}

async function withPostgres(port: number) {
  const sql = postgres({ ...login, port, max: 1, fetch_types: false, onnotice: () => {} })
  const seen: unknown[] = []
  await sql`DROP TABLE IF EXISTS orders`
  await sql`CREATE TABLE orders (key text PRIMARY KEY, cents int)`
  seen.push(...(await sql`INSERT INTO orders ${sql({ key: 'order-1', cents: 250 })} RETURNING *`))
  await sql.begin(async (block) => {
    seen.push(...(await block`SELECT * FROM orders WHERE key = ${'order-1'} FOR UPDATE`))
    await block`UPDATE orders SET cents = cents + ${1} WHERE key = ${'order-1'}`
  })
  seen.push(await sql`INSERT INTO orders (key) VALUES (${'order-1'})`.catch(({ code }) => code))
  seen.push(...(await sql`SELECT * FROM orders`))
  await sql.end()
  return seen
}

describeBothServers((servers) => {
  it.each([
    ['pg', withPg],
    ['postgres', withPostgres],
  ] as const)('send the same messages to %s', async (_, work) => {
    const { real, simulated } = servers()
    const reported = await listened(simulated.port, work as typeof withPg)
    expect(reported).toEqual(await listened(real.port, work as typeof withPg))
    expect(reported.heard.flat().length).toBeGreaterThan(50)
    expect(simulated.unsupported).toEqual([])
  })

  it('cancel a statement that waits for another session', async () => {
    const { real, simulated } = servers()
    const codes = async (port: number) => {
      const [one, other, third] = [0, 1, 2].map(() => new Client({ ...login, port }))
      for (const client of [one!, other!, third!]) await client.connect()
      await one!.query('CREATE TABLE IF NOT EXISTS waits (key text PRIMARY KEY)')
      await one!.query('BEGIN')
      await one!.query("INSERT INTO waits VALUES ('a')")
      const waiting = other!.query("INSERT INTO waits VALUES ('a')").catch(({ code }) => code)
      const { processID, secretKey } = other as unknown as { processID: number; secretKey: number }
      let isOver = false
      void waiting.then(() => (isOver = true))
      // A cancel request that arrives before the session waits has no effect.
      while (!isOver) {
        // The client receives no answer: the server closes the connection (PostgreSQL, 55.2.7). A
        // real server sometimes resets the connection.
        const asks = net.connect(port, '127.0.0.1').on('error', () => {})
        asks.end(Buffer.from(cancelRequest(processID, secretKey), 'latin1'))
        await third!.query('SELECT 1')
      }
      const code = await waiting
      await one!.query('ROLLBACK')
      for (const client of [one!, other!, third!]) await client.end()
      return code
    }
    expect(await codes(simulated.port)).toBe(await codes(real.port))
    expect(await codes(simulated.port)).toBe('57014')
  })
})
