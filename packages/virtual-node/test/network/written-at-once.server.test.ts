/**
 * Compares how a client reads the output of one turn of a real redis-server and of the simulated
 * server.
 */
import net from 'node:net'
import { encodeCommand } from 'redis-sim/resp'
import { expect, it } from 'vitest'
import { needs } from '../../../../test/needs/needs.ts'
import { type Program, sentToReal, sentToVirtual } from './byte-streams.ts'

interface Said {
  readonly by: 'client' | 'other'
  /** The commands of one write. */
  readonly commands: readonly string[]
}

const client = (...commands: string[]): Said => ({ by: 'client', commands })
const other = (...commands: string[]): Said => ({ by: 'other', commands })

/** Logs each read of the client. After each write, waits until the client has read something. */
const saying =
  (all: readonly Said[]): Program =>
  async (at, log) => {
    const sockets = { client: net.connect(at), other: net.connect(at) }
    sockets.other.resume()
    sockets.client.on('data', (bytes) => log(bytes.toString('latin1')))
    for (const { by, commands } of all) {
      log(`${by}: ${commands.join(', ')}`)
      const hears = new Promise((resolve) => sockets.client.once('data', resolve))
      sockets[by].write(commands.map((command) => encodeCommand(command.split(' '))).join(''), 'latin1')
      await hears
      await new Promise((resolve) => setTimeout(resolve, 40))
    }
    for (const socket of Object.values(sockets)) socket.destroy()
  }

const tracking = client('HELLO 3', 'CLIENT TRACKING ON')
/** By name: the writes, and the pieces that the client reads after the last write. */
const cases: Record<string, { readonly said: readonly Said[]; readonly read: readonly string[] }> = {
  'an invalidation after the reply, if the client itself changed the key': {
    said: [tracking, client('GET k'), client('SET k 1')],
    read: ['+OK\r\n>2\r\n$10\r\ninvalidate\r\n*1\r\n$1\r\nk\r\n'],
  },
  'invalidations of several keys after the reply': {
    said: [tracking, client('MGET k l'), client('MSET k 1 l 2')],
    read: ['+OK\r\n>2\r\n$10\r\ninvalidate\r\n*1\r\n$1\r\nk\r\n>2\r\n$10\r\ninvalidate\r\n*1\r\n$1\r\nl\r\n'],
  },
  'an invalidation after the reply to EXEC': {
    said: [tracking, client('GET k'), client('MULTI'), client('SET k 1'), client('EXEC')],
    read: ['*1\r\n+OK\r\n>2\r\n$10\r\ninvalidate\r\n*1\r\n$1\r\nk\r\n'],
  },
  'an invalidation of a key of a prefix after the reply': {
    said: [client('HELLO 3'), client('CLIENT TRACKING ON BCAST PREFIX k'), client('SET k 1')],
    read: ['+OK\r\n>2\r\n$10\r\ninvalidate\r\n*1\r\n$1\r\nk\r\n'],
  },
  'an invalidation alone, if another client changed the key': {
    said: [tracking, client('GET k'), other('SET k 1')],
    read: ['>2\r\n$10\r\ninvalidate\r\n*1\r\n$1\r\nk\r\n'],
  },
  'a message that the client publishes to itself, before the reply': {
    said: [client('HELLO 3'), client('SUBSCRIBE c'), client('PUBLISH c 1')],
    read: ['>3\r\n$7\r\nmessage\r\n$1\r\nc\r\n$1\r\n1\r\n:1\r\n'],
  },
  'the event of a key, before the reply to the client that changed it': {
    said: [
      client('HELLO 3'),
      client('CONFIG SET notify-keyspace-events K$'),
      client('PSUBSCRIBE *'),
      client('SET k 1'),
    ],
    read: ['>4\r\n$8\r\npmessage\r\n$1\r\n*\r\n$16\r\n__keyspace@0__:k\r\n$3\r\nset\r\n+OK\r\n'],
  },
  'messages that another client publishes in one write': {
    said: [client('SUBSCRIBE c'), other('PUBLISH c 1', 'PUBLISH c 2')],
    read: ['*3\r\n$7\r\nmessage\r\n$1\r\nc\r\n$1\r\n1\r\n*3\r\n$7\r\nmessage\r\n$1\r\nc\r\n$1\r\n2\r\n'],
  },
  'confirmations of several channels': {
    said: [client('SUBSCRIBE c d')],
    read: ['*3\r\n$9\r\nsubscribe\r\n$1\r\nc\r\n:1\r\n*3\r\n$9\r\nsubscribe\r\n$1\r\nd\r\n:2\r\n'],
  },
}

needs({ redis: '7.0' }).describe('a client of a real and of a simulated redis-server reads at once:', () => {
  for (const [name, { said, read }] of Object.entries(cases))
    it(name, async () => {
      const { lines } = await sentToVirtual(saying(said))
      expect(lines.slice(-read.length)).toEqual(read)
      expect(lines.at(-read.length - 1)).toMatch(/^(client|other): /)
      const real = await sentToReal(saying(said))
      expect(real.lines.slice(-read.length - 1)).toEqual(lines.slice(-read.length - 1))
    })
})
