/** Finds ports for real servers of tests, comparisons and live runs. */
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { createServer } from 'node:net'

/** The port numbers from `from` to `below` - 1. */
export interface PortRange {
  readonly from: number
  readonly below: number
}

/**
 * The range is below the ephemeral ports (from 32768 on Linux, 49152 elsewhere). An ephemeral port
 * could be taken by another connection before the server starts or while it is dead. A client that
 * reconnects to a dead server could even get the server's port as its own local port, and would
 * then be connected to itself.
 */
const serverPorts: PortRange = { from: 10_000, below: 21_000 }

/**
 * An unused port of 127.0.0.1 that no other call has returned, in this process or in another one
 * that still runs.
 * @throws Error if this process cannot listen on 127.0.0.1
 */
export function freePort(): Promise<number> {
  return reservePort(serverPorts, (port) => isFree(port))
}

/**
 * A port of the range that is usable and that no other process has reserved. It stays reserved
 * until this process ends, so that a server can die and return on it.
 * @throws Error if this process cannot bind 127.0.0.1
 */
export async function reservePort(
  { from, below }: PortRange,
  isUsable: (port: number) => Promise<boolean>,
): Promise<number> {
  for (;;) {
    const port = from + Math.floor(Math.random() * (below - from))
    if ((await isUsable(port)) && (await reserve(port))) return port
  }
}

/**
 * Reserves the port by a UDP socket on the same number: a TCP server can still use the port, no two
 * processes can reserve it, and the kernel releases it if the process is killed.
 */
async function reserve(port: number): Promise<boolean> {
  const socket = createSocket('udp4')
  socket.bind({ port, address: '127.0.0.1', exclusive: true })
  try {
    await once(socket, 'listening')
    socket.unref()
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') return false
    throw error
  }
}

/**
 * True if this process can listen on that port of the address.
 * @throws Error if the address cannot be used
 */
export function isFree(port: number, host = '127.0.0.1'): Promise<boolean> {
  const probe = createServer()
  return new Promise((resolve, reject) => {
    probe.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') resolve(false)
      else reject(error)
    })
    probe.listen(port, host, () => probe.close(() => resolve(true)))
  })
}
