/** What a process sees that was paused while things came for it: real ones, stopped by SIGSTOP, are the judge. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import { createRequire } from 'node:module'
import net from 'node:net'
import path from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { Choices } from '../../../src/sim/kernel/choices.ts'
import type { ClientSide } from '../../../src/sim/network/client-side.ts'
import { Lab } from '../lab.ts'

type Program = (
  at: { host: string; port: number },
  log: (line: string) => void,
  over: () => void,
  stop: () => void,
) => void

const programs: Record<string, Program> = createRequire(import.meta.url)('./paused-programs.cjs').programs
const program = path.join(import.meta.dirname, 'paused-program.cjs')

type End = 'FIN' | 'RST'

/** What a server does while the process is paused. */
interface Served {
  readonly sends: readonly string[]
  readonly ends: readonly End[]
}

/** By when all timers of the programs are due. */
const pausedMs = 600

interface Seen {
  /** By the process, a line each. */
  readonly said: readonly string[]
  /** The bytes that its server heard, of a connection that nothing ended but the process. */
  readonly heard: string
}

async function inRealNode(name: string, { sends, ends }: Served): Promise<Seen> {
  const said: string[] = []
  let heard = ''
  const sockets: net.Socket[] = []
  const server = net.createServer({ allowHalfOpen: true }, (socket) => {
    sockets.push(socket.on('error', () => {}).on('data', (data) => (heard += data)))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as net.AddressInfo
  const child = spawn(process.execPath, [program, String(port), name], { stdio: ['ignore', 'pipe', 'inherit'] })
  child.stdout!.setEncoding('utf8').on('data', (text: string) => said.push(text))
  const closed = once(child, 'close')
  await stopped(child)
  // What was under way before the stop has come to this process too.
  while (sockets.length < 1) await once(server, 'connection')
  for (const socket of sockets) {
    for (const text of sends) await new Promise((resolve) => socket.write(text, resolve))
    for (const end of ends) {
      if (end === 'FIN') await new Promise<void>((resolve) => socket.end(resolve))
      else await once(socket.resetAndDestroy(), 'close')
    }
  }
  await wait(pausedMs)
  child.kill('SIGCONT')
  await closed
  if (ends.length === 0) await Promise.all(sockets.map(hasEnded))
  for (const socket of sockets) socket.destroy()
  server.close()
  return { said: said.join('').trim().split('\n'), heard: ends.length === 0 ? heard : '' }
}

/** All that was written has come by then, whether it ends or breaks. */
async function hasEnded(socket: net.Socket): Promise<void> {
  if (socket.readableEnded || socket.destroyed) return
  await new Promise<void>((resolve) => socket.once('end', resolve).once('close', () => resolve()))
}

/** The system says so of a process (proc(5)). */
async function stopped({ pid }: ChildProcess): Promise<void> {
  for (;;) {
    if (fs.existsSync(`/proc/${pid}/stat`) && / T /.test(fs.readFileSync(`/proc/${pid}/stat`, 'utf8'))) return
    await wait(5)
  }
}

async function inTheSimulator(name: string, { sends, ends }: Served, seed: number): Promise<Seen> {
  const lab = new Lab(seed)
  const said: string[] = []
  let heard = ''
  let over = false
  const at = { host: '10.0.0.1', port: 6379 }
  let connection: ClientSide | null = null
  const accept = (from: ClientSide) => {
    connection = from
    return { received: (bytes: string) => void (heard += bytes), closed: (ends?: () => void) => ends?.() }
  }
  lab.network.listen(at.host, at.port, 'server', { accept }, null)
  const stop = () => {
    paused.pause()
    lab.at(pausedMs, () => paused.resume())
    for (const [text, ms] of sends.map((text, n) => [text, 100 + 50 * n] as const))
      lab.at(ms, () => connection!.reply(text, null))
    for (const [end, ms] of ends.map((end, n) => [end, 300 + 50 * n] as const))
      lab.at(ms, () => (end === 'FIN' ? connection!.serverClose() : connection!.break('ECONNRESET')))
  }
  const log = (line: string) => over || said.push(line)
  const paused = lab.start(() => programs[name]!(at, log, () => (over = true), stop))
  await lab.run()
  expect(lab.deaths).toEqual([])
  return { said, heard: ends.length === 0 ? heard : '' }
}

/** The first seed by which a process that goes on after one pause does so. */
function seedThat(how: 'runs timers first' | 'reads first'): number {
  const wanted = how === 'reads first' ? 1 : 0
  for (let seed = 1; ; seed++)
    if (new Choices({ seed }).stream('resume:consumer-1').choose('sockets before timers', 2) === wanted) return seed
}

async function expectAlike(name: string, served: Served): Promise<readonly string[]> {
  const seed = seedThat(name.endsWith('is stopped in one') ? 'reads first' : 'runs timers first')
  const [real, simulated] = await Promise.all([inRealNode(name, served), inTheSimulator(name, served, seed)])
  expect(simulated).toEqual(real)
  return real.said
}

const sends = ['one', 'two']
const ends: (readonly End[])[] = [['FIN'], ['RST'], ['FIN', 'RST']]

describe('a process that was stopped', () => {
  const reading = ['reads', 'writes at once', 'writes in a microtask', 'writes a little later', 'destroys']
  const cases = ends.flatMap((end) => reading.map((name) => [end.join(' and '), name, end] as const))
  it.concurrent.each(cases)('has one read of what came before %s: a program that %s', async (_end, name, end) => {
    expect(await expectAlike(name, { sends, ends: end })).toContain('data onetwo')
  })

  it.concurrent.each(ends.map((end) => [end.join(' and '), end] as const))(
    'learns of %s though it had not looked whether it is connected',
    async (_end, end) => {
      await expectAlike('has not looked', { sends, ends: end })
    },
  )

  it.concurrent.each(ends.map((end) => [end.join(' and '), end] as const))(
    'runs a timer that is due before it reads, and after that where it was stopped in the turn of a timer: then comes %s',
    async (_end, end) => {
      const served = { sends, ends: end }
      expect((await expectAlike('writes by a timer', served))[1]).toBe('timer')
      expect((await expectAlike('writes by a timer, and is stopped in one', served))[1]).toBe('data onetwo')
    },
  )

  it.concurrent('runs all timers that are due, a list for each delay, before it reads or after that, and immediates after both', async () => {
    const timersFirst = await expectAlike('has timers', { sends, ends: [] })
    expect(timersFirst.indexOf('data onetwo')).toBeGreaterThan(timersFirst.indexOf('timer of 300 ms'))
    expect(timersFirst.indexOf('data onetwo')).toBeLessThan(timersFirst.indexOf('its immediate'))
    const socketsFirst = await expectAlike('has timers, and is stopped in one', { sends, ends: [] })
    expect(socketsFirst[0]).toBe('data onetwo')
  })

  it.concurrent.each([
    'writes, and destroys its socket',
    'writes, and resets its connection',
    'writes, ends, and destroys its socket',
  ])('in a turn that %s sends all the same what it had written', async (rest) => {
    const name = `is stopped, ${rest}`
    expect(await expectAlike(name, { sends: [], ends: [] })).toContain('close false')
    const { heard } = await inTheSimulator(name, { sends: [], ends: [] }, 1)
    expect(heard).toBe('last words')
  })

  it('the comparison catches one that takes all in the order in which it came', async () => {
    const inOrder = await inTheSimulator('writes by a timer', { sends, ends: ['RST'] }, seedThat('reads first'))
    expect(inOrder.said).not.toEqual((await inRealNode('writes by a timer', { sends, ends: ['RST'] })).said)
  })
})
