/**
 * What one client sends, connection by connection: to a real redis-server, and to the simulated one
 * in virtual time.
 */
import net from 'node:net'
import { RedisServer } from 'redis-sim'
import { startRedis } from 'test-servers'
import { expect } from 'vitest'
import { pathOf } from '../../../../test/needs/needs.ts'
import { Lab } from '../lab.ts'
import { forget } from './sides.ts'

/** A client that sends this has its connection broken, the first time. */
export const breaker = 'break-here'

/** Writes down what it sees; over when it resolves. */
export type Program = (at: { host: string; port: number }, log: (line: string) => void) => Promise<void>

export interface Sent {
  /** Bytes as latin1 strings, in the order in which connections were opened. */
  readonly connections: readonly string[]
  readonly lines: readonly string[]
}

/**
 * Both ends hear of a reset; of a connection that is forgotten on its way, nobody does, and nothing
 * passes any more.
 */
export type Break = 'reset' | 'forgotten'

/** Notes what comes in, and says once that the connection is to break. */
class Recorder {
  readonly connections: string[] = []
  #broken = false

  /** A new connection: what takes its bytes, and answers whether they may pass. */
  open(): (bytes: string) => boolean {
    const at = this.connections.push('') - 1
    return (bytes) => {
      this.connections[at] += bytes
      if (this.#broken || !this.connections[at]!.includes(breaker)) return true
      this.#broken = true
      return false
    }
  }
}

/** A relay before a real redis-server, on loopback. */
export async function sentToReal(program: Program, how: Break = 'reset'): Promise<Sent> {
  const server = await startRedis(pathOf('redis'))
  const recorder = new Recorder()
  const sockets = new Set<net.Socket>()
  const relay = net.createServer((socket) => {
    const passes = recorder.open()
    const behind = net.connect(server.port, '127.0.0.1')
    for (const one of [socket, behind]) sockets.add(one.on('error', () => {}))
    let forgotten = false
    socket.on('data', (bytes) => {
      if (forgotten) return
      if (passes(bytes.toString('latin1'))) return void behind.write(bytes)
      if (how === 'forgotten') {
        forgotten = true
        return
      }
      socket.resetAndDestroy()
      behind.destroy()
    })
    socket.on('end', () => forgotten || behind.end())
    behind.on('data', (bytes) => !forgotten && socket.writable && socket.write(bytes))
    behind.on('end', () => forgotten || socket.end())
  })
  await new Promise<void>((resolve) => relay.listen(0, '127.0.0.1', resolve))
  const { port } = relay.address() as net.AddressInfo
  const lines: string[] = []
  try {
    await program({ host: '127.0.0.1', port }, (line) => lines.push(line))
  } finally {
    for (const socket of sockets) socket.destroy()
    relay.close()
    await server.stop()
  }
  return { connections: recorder.connections, lines }
}

/** The simulated server behind a simulated network. */
export async function sentToVirtual(program: Program, how: Break = 'reset'): Promise<Sent> {
  const lab = new Lab()
  const recorder = new Recorder()
  // On loopback here too: node-redis 6 tells the server whether its address is a private one.
  const at = { host: '127.0.0.1', port: 6379 }
  const redis = new RedisServer({
    nowUs: () => lab.clock.wallUs(),
    random: (n) => n - 1,
    schedule: (delayUs, callback) => {
      const event = lab.kernel.schedule(delayUs, null, callback)
      return () => lab.kernel.cancel(event)
    },
    unsupported: (what) => lab.unsupported(what),
  })
  const accept = (client: Parameters<Parameters<typeof lab.network.listen>[3]['accept']>[0]) => {
    const passes = recorder.open()
    const connection = redis.connect({
      write: (bytes) => client.reply(bytes, null),
      announce: (bytes) => client.announce(bytes),
      close: () => client.serverClose(),
      address: 'a client',
    })
    return {
      received: (bytes: string) => {
        if (passes(bytes)) connection.receive(bytes)
        else if (how === 'reset') client.break('ECONNRESET')
        else forget(lab, client)
      },
      closed: (ends?: () => void) => {
        connection.close()
        ends?.()
      },
    }
  }
  lab.network.listen(at.host, at.port, 'redis', { accept }, null)
  const lines: string[] = []
  let over = false
  lab.start(() => program(at, (line) => lines.push(line)).then(() => (over = true)))
  await lab.run()
  expect(lab.deaths).toEqual([])
  expect(lab.unsupportedThings).toEqual([])
  expect(over).toBe(true)
  return { connections: recorder.connections, lines }
}
