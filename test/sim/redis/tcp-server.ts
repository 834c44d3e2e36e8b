import type { AddressInfo } from 'node:net'
import { createServer, type Server, type Socket } from 'node:net'
import type { RedisConfig } from '../../../src/sim/redis/config.ts'
import { RedisServer } from '../../../src/sim/redis/server.ts'

/** The simulated server on a real loopback port with the real clock, for clients that only speak TCP. */
export async function listen(config: Partial<RedisConfig> = {}) {
  const unsupported: string[] = []
  const redis = new RedisServer(
    {
      nowUs: () => Date.now() * 1000,
      random: (n) => Math.floor(Math.random() * n),
      schedule: (delayUs, callback) => {
        const timer = setTimeout(callback, delayUs / 1000)
        return () => clearTimeout(timer)
      },
      unsupported: (what) => unsupported.push(what),
    },
    config,
  )
  const sockets = new Set<Socket>()
  const listener: Server = createServer((socket) => {
    sockets.add(socket)
    const connection = redis.connect({
      write: (bytes) => socket.write(bytes, 'latin1'),
      close: () => socket.end(),
      address: `${socket.remoteAddress}:${socket.remotePort}`,
    })
    socket.on('data', (chunk) => connection.receive(chunk.toString('latin1')))
    socket.on('error', () => {})
    socket.on('close', () => {
      sockets.delete(socket)
      connection.close()
    })
  })
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve))
  return {
    redis,
    unsupported,
    port: (listener.address() as AddressInfo).port,
    async close() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => listener.close(resolve))
    },
  }
}
