/**
 * Compares a program in real Node that SIGSTOP stops with the same program in a simulated process
 * that is paused.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import { createRequire } from 'node:module'
import net from 'node:net'
import path from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'vitest'
import type { ClientSide } from '../../src/network/client-side.ts'
import type { VirtualProcess } from '../../src/runtime/process.ts'
import { Lab } from '../lab.ts'

interface At {
  readonly host: string
  readonly port: number
}

type Program = (at: At, log: (line: string) => void, over: () => void, stop: () => void) => void

const programs: Record<string, Program> = createRequire(import.meta.url)('./paused-programs.cjs').programs
const program = path.join(import.meta.dirname, 'paused-program.cjs')

/**
 * An action of a peer while the process is paused: the peer sends text, FIN or RST, or connects to
 * a serving program.
 */
export interface Step {
  /** The index of the connection, in order of creation. */
  readonly peer: number
  readonly does: { readonly sends: string } | 'FIN' | 'RST' | 'connects'
}

export const sends = (text: string, peer = 0): Step => ({ peer, does: { sends: text } })
export const fin = (peer = 0): Step => ({ peer, does: 'FIN' })
export const rst = (peer = 0): Step => ({ peer, does: 'RST' })
export const connects = (peer = 0): Step => ({ peer, does: 'connects' })

export interface Seen {
  /** The lines that the process logged. */
  readonly said: readonly string[]
  /** The bytes that the other ends received on connections that only the process ended. */
  readonly heard: string
}

/** The other ends of the program’s connections. */
interface Peers {
  readonly sockets: net.Socket[]
  heard: string
}

/** After this time, all timers of the programs are due. */
const pausedMs = 600

const endsThem = (steps: readonly Step[]) => steps.some(({ does }) => does === 'FIN' || does === 'RST')

function takeOn(peers: Peers, socket: net.Socket): void {
  peers.sockets.push(socket.on('error', () => {}).on('data', (data) => (peers.heard += data)))
}

/** Adds the steps as the name of each test. */
export const named = (cases: readonly Step[][]) =>
  cases.map(
    (steps) =>
      [
        steps.map(({ peer, does }) => `${typeof does === 'string' ? does : 'data'} of ${peer}`).join(', '),
        steps,
      ] as const,
  )

export interface Played {
  readonly steps: readonly Step[]
  /** The number of clients of a serving program when it stops. */
  readonly clients?: number
  /** The actions of the clients before the stop. */
  readonly before?: readonly Step[]
  /** The number of connections of a client program. */
  readonly connections?: number
}

export async function inRealNode(
  name: string,
  { steps, clients, before = [], connections = 1 }: Played,
): Promise<Seen> {
  const peers: Peers = { sockets: [], heard: '' }
  const server = net.createServer({ allowHalfOpen: true }, (socket) => takeOn(peers, socket))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  let { port } = server.address() as net.AddressInfo
  const args = [program, String(clients === undefined ? port : 0), name]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  let said = ''
  const listens = new Promise<number>((resolve) => {
    child.stdout!.setEncoding('utf8').on('data', (text: string) => {
      said += text
      const [, reported] = /^listens on (\d+)$/m.exec(said) ?? []
      if (reported !== undefined) resolve(Number(reported))
    })
  })
  const closed = once(child, 'close')
  const dial = async () => {
    const socket = net.connect({ host: '127.0.0.1', port, allowHalfOpen: true })
    takeOn(peers, socket)
    await once(socket, 'connect')
  }
  const take = async ({ peer, does }: Step) => {
    const socket = peers.sockets[peer]!
    if (does === 'connects') await dial()
    else if (does === 'FIN') await new Promise<void>((resolve) => socket.end(resolve))
    else if (does === 'RST') await once(socket.resetAndDestroy(), 'close')
    else await new Promise((resolve) => socket.write(does.sends, resolve))
    if (does !== 'RST') await acknowledged(peers.sockets[peer]!)
  }
  if (clients !== undefined) {
    port = await listens
    for (let at = 0; at < clients; at++) await dial()
  }
  for (const step of before) await take(step)
  await stopped(child)
  // This process must also have accepted all connections from before the stop.
  while (clients === undefined && peers.sockets.length < connections) await once(server, 'connection')
  for (const step of steps) await take(step)
  await wait(pausedMs)
  child.kill('SIGCONT')
  await closed
  const isKnown = !endsThem(steps)
  if (isKnown) await Promise.all(peers.sockets.map(hasEnded))
  for (const socket of peers.sockets) socket.destroy()
  server.close()
  return { said: lines(said), heard: isKnown ? peers.heard : '' }
}

const lines = (said: string): string[] =>
  said
    .trim()
    .split('\n')
    .filter((line) => !line.startsWith('listens on'))

/** Waits until the socket ends or breaks. Then all written bytes have arrived. */
async function hasEnded(socket: net.Socket): Promise<void> {
  if (socket.readableEnded || socket.destroyed) return
  await new Promise<void>((resolve) => socket.once('end', resolve).once('close', () => resolve()))
}

/** Waits until the system of the other end has everything (proc_net_tcp: `tx_queue`). */
async function acknowledged({ localPort, remotePort }: net.Socket): Promise<void> {
  const portOf = (address: string) => Number.parseInt(address.split(':')[1]!, 16)
  const isQueued = () =>
    fs
      .readFileSync('/proc/net/tcp', 'utf8')
      .split('\n')
      .map((line) => line.trim().split(/\s+/))
      .some(
        ([, local, remote, , queues]) =>
          queues !== undefined &&
          portOf(local!) === localPort &&
          portOf(remote!) === remotePort &&
          !queues.startsWith('00000000:'),
      )
  while (isQueued()) await wait(5)
}

/** Waits until the system reports the process as stopped (proc(5)). */
async function stopped({ pid }: ChildProcess): Promise<void> {
  for (;;) {
    if (fs.existsSync(`/proc/${pid}/stat`) && / T /.test(fs.readFileSync(`/proc/${pid}/stat`, 'utf8'))) return
    await wait(5)
  }
}

/** What a client program is connected to: a node of the world, or another simulated process. */
type Served = 'by a node' | 'by a process'

export async function inTheSimulator(
  name: string,
  { steps, clients, before = [] }: Played,
  served: Served = 'by a node',
): Promise<Seen> {
  const lab = new Lab()
  const said: string[] = []
  let over = false
  const others = clients === undefined && served === 'by a node' ? nodeOf(lab) : processOf(lab, clients, before)
  const stop = () => {
    paused.pause()
    for (const [at, step] of steps.entries()) lab.at(100 + 25 * at, () => others.take(step))
    lab.at(Math.max(pausedMs, 200 + 25 * steps.length), () => paused.resume())
  }
  const log = (line: string) => {
    if (!over) said.push(line)
    if (line.startsWith('listens on')) others.begin?.()
  }
  const paused = lab.start(() => programs[name]!(others.at, log, () => (over = true), stop))
  await lab.run()
  expect(lab.deaths).toEqual([])
  expect(over).toBe(true)
  return { said: lines(said.join('\n')), heard: endsThem(steps) ? '' : others.heard }
}

interface Others {
  readonly at: At
  readonly heard: string
  take(step: Step): void
  /** The serving program listens. */
  begin?(): void
}

function nodeOf(lab: Lab): Others {
  const connections: ClientSide[] = []
  const others = {
    at: { host: '10.0.0.1', port: 6379 },
    heard: '',
    take({ peer, does }: Step) {
      const connection = connections[peer]!
      if (does === 'FIN') connection.serverClose()
      else if (does === 'RST') connection.break('ECONNRESET')
      else if (does !== 'connects') connection.reply(does.sends, null)
    },
  }
  const accept = (from: ClientSide) => {
    connections.push(from)
    return { received: (bytes: string) => void (others.heard += bytes), closed: (ends?: () => void) => ends?.() }
  }
  lab.network.listen(others.at.host, others.at.port, 'server', { accept }, null)
  return others
}

/** The peers run in a process in slot 1. The process of the program is in slot 0. */
function processOf(lab: Lab, clients: number | undefined, before: readonly Step[]): Others {
  const peers: Peers = { sockets: [], heard: '' }
  const at = { host: `10.0.1.${clients === undefined ? 2 : 1}`, port: 7000 }
  const process: VirtualProcess = lab.start(() => {
    if (clients === undefined)
      net.createServer({ allowHalfOpen: true }, (socket) => takeOn(peers, socket)).listen(at.port)
  }, 1)
  const take = ({ peer, does }: Step) => {
    const socket = peers.sockets[peer]!
    if (does === 'connects') takeOn(peers, net.connect({ ...at, allowHalfOpen: true }))
    else if (does === 'FIN') socket.end()
    else if (does === 'RST') socket.resetAndDestroy()
    else socket.write(does.sends)
  }
  const inTurn = (step: Step) => lab.kernel.turn(process, () => take(step))
  return {
    at,
    get heard() {
      return peers.heard
    },
    take: inTurn,
    begin() {
      const first = [...Array.from({ length: clients! }, (_, peer) => connects(peer)), ...before]
      for (const [at, step] of first.entries()) lab.at(5 * (at + 1), () => inTurn(step))
    },
  }
}

/**
 * Expects the real and the simulated process to observe the same. Either kind of server may serve a
 * client program.
 */
export async function expectAlike(
  name: string,
  played: Played,
  servers: readonly Served[] = ['by a node', 'by a process'],
): Promise<readonly string[]> {
  const real = await inRealNode(name, played)
  for (const served of servers) expect(await inTheSimulator(name, played, served), served).toEqual(real)
  return real.said
}
