/**
 * The simulated PostgreSQL on a TCP port with the real clock, for clients that a test also connects
 * to a real server.
 */
import net from 'node:net'
import { Database, loadSqlParser } from '../src/index.ts'
import { ClientConnection } from '../src/wire/client-connection.ts'

export interface ServedPostgres {
  readonly port: number
  /** Unsupported features that were requested. */
  readonly unsupported: readonly string[]
  stop(): Promise<void>
}

export async function servePostgres(): Promise<ServedPostgres> {
  await loadSqlParser()
  const unsupported: string[] = []
  const database = new Database({
    nowUs: () => Date.now() * 1000,
    after(delayUs, work) {
      const timer = setTimeout(work, delayUs / 1000)
      return () => clearTimeout(timer)
    },
    chance: () => 0,
    unsupported: (what) => unsupported.push(what),
  })
  const clients = new Map<ClientConnection, net.Socket>()
  const server = net.createServer((socket) => {
    const client = new ClientConnection({
      connect: (startup) => database.connect(startup),
      cancel(processId, key) {
        for (const one of clients.keys()) if (one.processId === processId) one.cancel(key)
      },
      executes: () => true,
      executed: () => {},
      send: (bytes) => void socket.write(Buffer.from(bytes, 'latin1')),
      close: () => void socket.end(),
      later(work) {
        setImmediate(() => {
          work()
          while (client.step());
        })
      },
      unsupported: (what) => unsupported.push(what),
    })
    clients.set(client, socket)
    socket.on('data', (bytes) => {
      client.feed(bytes.toString('latin1'))
      while (client.step());
    })
    socket.on('error', () => {})
    socket.on('close', () => {
      client.closed()
      clients.delete(client)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as net.AddressInfo).port,
    unsupported,
    stop: () =>
      new Promise((resolve) => {
        for (const socket of clients.values()) socket.destroy()
        server.close(() => resolve())
      }),
  }
}
