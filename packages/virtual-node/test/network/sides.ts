import net from 'node:net'
import { expect } from 'vitest'
import type { ClientSide, Listener } from '../../src/network/client-side.ts'
import type { VirtualProcess } from '../../src/runtime/process.ts'
import { judgedByRealTime } from '../judged-by-real-time.ts'
import { Lab } from '../lab.ts'
import { watchLoopback } from './loopback-delay.ts'

/** The server’s end of a connection, with the same interface for real and virtual sockets. */
export interface Peer {
  write(text: string): void
  /** Sends FIN after all writes. */
  end(): void
  /** Sends RST. */
  reset(): void
  /** Forgets the connection: later bytes of both ends are lost without notice. */
  forget(): void
  after(ms: number, work: () => void): void
}

/**
 * The behavior of a server. It is created once for real sockets and once for virtual sockets, so
 * that it may have state.
 */
export type Serve = () => { connected?(peer: Peer): void; received?(peer: Peer, text: string): void }

/** A client program. It logs lines, and calls `over` at its end. */
export type Client = (at: { host: string; port: number }, log: (line: string) => void, over: () => void) => void

const nobodyListens = null

/** Plays a client on loopback, in real time. If `serve` is null, nothing listens on the port. */
export async function onRealSockets(serve: Serve | null, client: Client): Promise<string[]> {
  const behaviour = serve?.()
  const sockets = new Set<net.Socket>()
  const server = net.createServer((socket) => {
    sockets.add(socket.on('error', () => {}))
    // If true, the peer exists, but neither reads nor sends: the system accepts bytes and sends
    // nothing.
    let forgotten = false
    const peer: Peer = {
      write: (text) => void (forgotten || socket.write(text, 'latin1')),
      end: () => void (forgotten || socket.end()),
      reset: () => void (forgotten || socket.resetAndDestroy()),
      forget: () => {
        forgotten = true
        socket.pause()
        socket.allowHalfOpen = true // the client’s FIN is not answered
      },
      after: (ms, work) => void setTimeout(work, ms),
    }
    socket.on('data', (data) => behaviour?.received?.(peer, data.toString('latin1')))
    behaviour?.connected?.(peer)
  })
  const { port } = await new Promise<net.AddressInfo>((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve(server.address() as net.AddressInfo))
  })
  if (serve === nobodyListens) await new Promise((resolve) => server.close(resolve))
  const lines = await playClient({ host: '127.0.0.1', port }, client)
  for (const socket of sockets) socket.destroy()
  server.close()
  return lines
}

/** Runs a client in real Node. It begins in a macrotask, like a turn. */
export function playClient(at: { host: string; port: number }, client: Client): Promise<string[]> {
  const lines: string[] = []
  return new Promise((resolve) => {
    setImmediate(() =>
      client(
        at,
        (line) => lines.push(named(line, at)),
        () => resolve(lines),
      ),
    )
  })
}

const virtualAddress = { host: '10.0.0.1', port: 6379 }

/** Plays a client on a simulated network, in virtual time. */
export async function onVirtualSockets(
  serve: Serve | null,
  client: Client,
  prepare: (lab: Lab, process: VirtualProcess) => void = () => {},
): Promise<string[]> {
  const lab = new Lab()
  if (serve !== null) lab.network.listen(virtualAddress.host, virtualAddress.port, 'server', listener(lab, serve), null)
  const lines: string[] = []
  let over = false
  const process = lab.start(() => {
    const log = (line: string) => over || lines.push(named(line, virtualAddress))
    client(virtualAddress, log, () => (over = true))
  })
  prepare(lab, process)
  await lab.run()
  expect(lab.deaths).toEqual([])
  expect(over).toBe(true)
  return lines
}

export function listener(lab: Lab, serve: Serve): Listener {
  const behaviour = serve()
  return {
    accept(connection: ClientSide) {
      const peer: Peer = {
        write: (text) => connection.reply(text, null),
        end: () => connection.serverClose(),
        reset: () => connection.break('ECONNRESET'),
        forget: () => forget(lab, connection),
        after: (ms, work) => lab.at(ms, work),
      }
      behaviour.connected?.(peer)
      return { received: (bytes) => behaviour.received?.(peer, bytes), closed: (ends?: () => void) => ends?.() }
    },
  }
}

export function forget({ network }: Lab, connection: ClientSide): void {
  for (const one of network.connections) if (one === connection) one.forget()
}

/** Hides addresses and ports, which differ between real and virtual sockets. */
function named(line: string, { host, port }: { host: string; port: number }): string {
  return line.replaceAll(`${host}:${port}`, 'server:port').replaceAll(host, 'server').replaceAll(`${port}`, 'port')
}

/** Real sockets are the reference for the virtual ones. */
export async function expectAlike(serve: Serve | null, client: Client): Promise<string[]> {
  return judgedByRealTime(await onVirtualSockets(serve, client), () => onRealSockets(serve, client), watchLoopback)
}
