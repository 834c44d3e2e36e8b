/**
 * The last message of a server that ends a session reaches `pg` through the watched socket, as on
 * an unwatched one.
 */
import net from 'node:net'
import { Client } from 'pg'
import { type PostgresServer, startPostgres } from 'test-servers'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { openGate } from '../../../src/live/consumer/gates.ts'
import { PostgresTap } from '../../../src/live/consumer/postgres-tap.ts'
import type { WatchedSocket } from '../../../src/live/consumer/sent-command.ts'
import type { ConsumerGate, FromConsumer } from '../../../src/live/host/protocol.ts'
import { needs, pathOf } from '../../needs/needs.ts'

const harness = {
  reported: [] as FromConsumer[],
  asked: [] as ConsumerGate[],
  drops: (_: ConsumerGate): boolean => false,
}

/**
 * This process acts as a consumer: its messages to the harness are intercepted, and its gates are
 * opened. Other messages belong to the test runner.
 */
const ours = new Set<unknown>([
  'gate',
  'command',
  'connection-open',
  'connection-closed',
  'exchange-sent',
  'exchange-answered',
  'limit',
  'effect-answered',
])
const { send } = process
beforeAll(() => {
  process.send = ((message: FromConsumer, ...rest: unknown[]) => {
    if (!ours.has(message.type)) return Reflect.apply(send ?? (() => true), process, [message, ...rest])
    if (message.type !== 'gate') return harness.reported.push(message) > 0
    harness.asked.push(message.where)
    const drop = harness.drops(message.where)
    setImmediate(() => openGate({ type: 'go', gate: message.gate, drop, requestId: 0 }))
    return true
  }) as NonNullable<typeof process.send>
})
afterAll(() => void Object.assign(process, { send }))

needs({ postgres: '15' }).describe('a session that the server ends', () => {
  let server: PostgresServer
  let operator: Client
  const login = () => ({ host: '127.0.0.1', port: server.port, user: 'postgres', database: 'postgres' })

  beforeAll(async () => {
    server = await startPostgres(pathOf('postgres'))
    operator = new Client(login())
    await operator.connect()
  })
  afterAll(async () => {
    await operator?.end()
    await server?.stop()
  })
  beforeEach(() => Object.assign(harness, { reported: [], asked: [], drops: () => false }))

  const clients: Client[] = []
  afterEach(() => {
    for (const client of clients.splice(0))
      (client as unknown as { connection: { stream: net.Socket } }).connection.stream.destroy()
  })

  /**
   * The error of the running statement when the operator ends its session. `watch`: null without a
   * tap.
   */
  async function endOf(watch: { readonly watchCommands: boolean } | null): Promise<string> {
    const socket = new net.Socket()
    if (watch !== null) new PostgresTap(socket as WatchedSocket, server.port, watch)
    const client = new Client({ ...login(), stream: () => socket })
    clients.push(client)
    client.on('error', () => {})
    await client.connect()
    const { rows } = await client.query('SELECT pg_backend_pid() AS pid')
    const under = client.query('SELECT pg_sleep(60)').then(
      () => 'answered',
      (error: Error & { code?: string }) => `${error.code} ${error.message}`,
    )
    const sleeps = async () =>
      (await operator.query(`SELECT FROM pg_stat_activity WHERE pid = $1 AND wait_event = 'PgSleep'`, [rows[0].pid]))
        .rowCount === 1
    await vi.waitUntil(sleeps, { timeout: 5_000 })
    await operator.query('SELECT pg_terminate_backend($1)', [rows[0].pid])
    return under
  }

  const why = '57P01 terminating connection due to administrator command'
  const answers = () => harness.reported.flatMap((one) => (one.type === 'command' ? [one.reply] : []))

  it.each([
    ['on an unwatched socket', null, []],
    ['if commands pass freely', { watchCommands: false }, ['SELECT 1', `(error) ${why}`]],
    ['if commands wait for the harness', { watchCommands: true }, ['SELECT 1', `(error) ${why}`]],
  ] as const)('the error has the reason %s', async (_, watch, reported) => {
    expect(await endOf(watch)).toBe(why)
    expect(answers()).toEqual(reported)
  })

  it('the error has no reason if the harness drops that answer', async () => {
    harness.drops = (gate) =>
      gate.at === 'reply-received' && harness.asked.filter(({ at }) => at === 'reply-received').length === 2
    expect(await endOf({ watchCommands: true })).toMatch(/Connection terminated unexpectedly/)
  })
})

describe('an answer that the end of the connection cuts', () => {
  it('reaches the client in part, before the end', async () => {
    const ready = Buffer.from('Z\0\0\0\x05I')
    const part = Buffer.from('N\0\0\0\x10C57P02\0')
    const listener = net.createServer((socket) => {
      socket.on('error', () => {})
      socket.on('data', (asked) => void (asked.includes('SELECT') ? socket.end(part) : socket.write(ready)))
    })
    await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve))
    const { port } = listener.address() as net.AddressInfo
    const socket = new net.Socket()
    new PostgresTap(socket as WatchedSocket, port, { watchCommands: true })
    socket.connect(port, '127.0.0.1')
    await new Promise((resolve) => socket.once('connect', resolve))
    const got: Buffer[] = []
    socket.on('data', (data) => void got.push(data))
    const over = new Promise((resolve) => socket.once('end', resolve))
    const int32 = (value: number) => {
      const bytes = Buffer.alloc(4)
      bytes.writeInt32BE(value)
      return bytes
    }
    const query = Buffer.from('SELECT 1\0')
    const answered = new Promise((resolve) => socket.once('data', resolve))
    socket.write(Buffer.concat([int32(9), int32(196_608), Buffer.from('\0')]))
    await answered
    socket.write(Buffer.concat([Buffer.from('Q'), int32(query.length + 4), query]))
    await over
    listener.close()
    expect(Buffer.concat(got)).toEqual(Buffer.concat([ready, part]))
  })
})
