/**
 * Records the bytes that a client sends on each connection, to a real redis-server and to a
 * simulated server in virtual time.
 */
import net from 'node:net'
import { RedisServer } from 'redis-sim'
import { startRedis } from 'test-servers'
import { expect } from 'vitest'
import { pathOf } from '../../../../test/needs/needs.ts'
import { Lab } from '../lab.ts'
import { forget } from './sides.ts'

/** The connection breaks when a client sends this text for the first time. */
export const breaker = 'break-here'

/** Logs what it observes, and resolves at its end. */
export type Program = (at: { host: string; port: number }, log: (line: string) => void) => Promise<void>

export interface Sent {
  /** Bytes as latin1 strings, in the order of the connections. */
  readonly connections: readonly string[]
  readonly lines: readonly string[]
}

/**
 * A reset reaches both ends. A forgotten connection carries nothing, and neither end is notified.
 */
export type Break = 'reset' | 'forgotten'

/** Records incoming bytes, and signals once that the connection should break. */
class Recorder {
  readonly connections: string[] = []
  #broken = false

  /** Returns a function for the bytes of a new connection, which returns true if they may pass. */
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

/** Runs the program against a relay in front of a real redis-server, on loopback. */
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

/** Runs the program against a simulated server on a simulated network. */
export async function sentToVirtual(program: Program, how: Break = 'reset'): Promise<Sent> {
  const lab = new Lab()
  const recorder = new Recorder()
  // A loopback address as in `sentToReal`, because node-redis 6 reports to the server whether its
  // address is private.
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
