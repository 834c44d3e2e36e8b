/**
 * What a server observes of a client in another process that closes before it reads. Real processes
 * that are stopped by SIGSTOP are the reference.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import { createRequire } from 'node:module'
import net from 'node:net'
import path from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { Choices } from '../../src/kernel/choices.ts'
import { Lab } from '../lab.ts'

type Log = (line: string) => void
type Client = (at: { host: string; port: number }, log: Log, stop: () => void) => void

const file = path.join(import.meta.dirname, 'closed-unseen.cjs')
const { clients }: { clients: Record<string, Client> } = createRequire(import.meta.url)(file)

/** The actions of a server while its client is stopped. */
const serves: Record<string, (socket: net.Socket) => void> = {
  'says nothing': () => {},
  greets: (socket) => socket.write('hello'),
  ends: (socket) => socket.end(),
  'greets and ends': (socket) => socket.end('hello'),
}

interface Heard {
  readonly client: readonly string[]
  readonly server: readonly string[]
}

function watch(socket: net.Socket, log: Log): net.Socket {
  socket.on('end', () => log('end'))
  socket.on('data', (data) => log(`data ${data}`))
  socket.on('error', (error) => log(error.message))
  return socket.on('close', (hadError) => log(`close ${hadError}`))
}

/** After this time, the timers of the client are due, and all bytes have arrived. */
const stoppedMs = 300

async function inRealNode(name: string, serve: (socket: net.Socket) => void): Promise<Heard> {
  const lines: string[] = []
  const accepted: net.Socket[] = []
  const server = net.createServer((socket) => accepted.push(watch(socket, (line) => lines.push(line))))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as net.AddressInfo
  const child = spawn(process.execPath, [file, String(port), name], { stdio: ['ignore', 'pipe', 'inherit'] })
  const said: string[] = []
  child.stdout.setEncoding('utf8').on('data', (text: string) => said.push(text))
  const over = once(child, 'close')
  await stopped(child)
  while (accepted.length < 1) await once(server, 'connection')
  const [socket] = accepted
  // `once` of `node:events` would reject on an error, which comes before the socket closes.
  const closed = new Promise((resolve) => socket!.once('close', resolve))
  serve(socket!)
  await wait(stoppedMs)
  child.kill('SIGCONT')
  await Promise.all([over, closed])
  server.close()
  return { client: said.join('').trim().split('\n'), server: lines }
}

/** Waits until the system reports the process as stopped (proc(5)). */
async function stopped({ pid }: ChildProcess): Promise<void> {
  while (!/ T /.test(fs.readFileSync(`/proc/${pid}/stat`, 'utf8'))) await wait(5)
}

async function inTheSimulator(name: string, serve: (socket: net.Socket) => void): Promise<Heard> {
  const lab = new Lab(seedThatRunsTimersFirst())
  const heard = { client: [] as string[], server: [] as string[] }
  const accepted: net.Socket[] = []
  const work = () =>
    net.createServer((socket) => accepted.push(watch(socket, (line) => heard.server.push(line)))).listen(3000)
  const server = lab.start(work, 1)
  lab.at(10, () => {
    const log = (line: string) => heard.client.push(line)
    const client = lab.start(() => clients[name]!({ host: '10.0.1.2', port: 3000 }, log, () => client.pause()))
    lab.at(100, () => lab.kernel.turn(server, () => serve(accepted[0]!)))
    lab.at(stoppedMs, () => client.resume())
  })
  await lab.run()
  expect(lab.deaths).toEqual([])
  return heard
}

/** Finds a seed with which a process runs timers before it reads after its first pause. */
function seedThatRunsTimersFirst(): number {
  for (let seed = 1; ; seed++)
    if (new Choices({ seed }).stream('resume:consumer-1').choose('sockets before timers', 2) === 0) return seed
}

describe('a simulated server observes the same as a server in Node if its client', () => {
  const cases = Object.keys(clients).flatMap((name) => Object.keys(serves).map((serve) => [name, serve] as const))
  it.concurrent.each(cases)('%s, and the server %s', async (name, serve) => {
    const [real, simulated] = await Promise.all([
      inRealNode(name, serves[serve]!),
      inTheSimulator(name, serves[serve]!),
    ])
    expect(simulated).toEqual(real)
    expect(real.client).toContain('timer')
    expect(real.server.at(-1)).toMatch(/^close/)
  })
})
