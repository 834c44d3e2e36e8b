/** What a process sees that was paused while things came for it: real ones, stopped by SIGSTOP, are the judge. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createRequire } from 'node:module'
import net from 'node:net'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { Choices } from '../../../src/sim/kernel/choices.ts'
import type { ClientSide } from '../../../src/sim/network/client-side.ts'
import { Lab } from '../lab.ts'

type Program = (
  at: { host: string; port: number },
  log: (line: string) => void,
  over: () => void,
  own: { stop(): void; blockMs(ms: number): void },
) => void

const programs: Record<string, Program> = createRequire(import.meta.url)('./paused-programs.cjs').programs
const program = path.join(import.meta.dirname, 'paused-program.cjs')

/** What its server does while the process is paused, from 200 ms to 900 ms after it is connected. */
type Ends = 'nothing' | 'FIN' | 'RST' | 'FIN, then RST'

const sent = [
  [300, 'one'],
  [450, 'two'],
] as const
const stoppedMs = 200
const endsMs = 600
const resumedMs = 900

/** Real time may only be late by less than what lies between two things that happen. */
async function inRealNode(name: string, ends: Ends): Promise<string[]> {
  const said: string[] = []
  const sockets: net.Socket[] = []
  let child: ChildProcess
  const server = net.createServer((socket) => {
    sockets.push(socket.on('error', () => {}))
    if (name === 'polled')
      return (
        sockets.length === 2 &&
        polledBy(
          sockets.map((one) => (text) => one.write(text)),
          setTimeout,
          () => child.kill('SIGCONT'),
        )
      )
    setTimeout(() => child.kill('SIGSTOP'), stoppedMs)
    for (const [ms, text] of sent) setTimeout(() => socket.write(text), ms)
    if (ends.startsWith('FIN')) setTimeout(() => socket.end(), endsMs)
    if (ends.endsWith('RST')) setTimeout(() => socket.resetAndDestroy(), endsMs + 50)
    setTimeout(() => child.kill('SIGCONT'), resumedMs)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as net.AddressInfo
  child = spawn(process.execPath, [program, String(port), name], { stdio: ['ignore', 'pipe', 'inherit'] })
  child.stdout!.setEncoding('utf8').on('data', (text: string) => said.push(text))
  await once(child, 'close')
  for (const socket of sockets) socket.destroy()
  server.close()
  return said.join('').trim().split('\n')
}

/** What the server of the two clients does: both have something to read when one stops the process. */
function polledBy(
  writes: ((text: string) => void)[],
  after: (work: () => void, ms: number) => void,
  resume: () => void,
) {
  for (const write of writes) after(() => write('one'), 100)
  after(resume, resumedMs)
}

/** With what came in several segments as one, as a process has it that reads once. */
async function inTheSimulator(name: string, ends: Ends, seed = 1): Promise<string[]> {
  const lab = new Lab(seed)
  const lines: string[] = []
  let over = false
  const at = { host: '10.0.0.1', port: 6379 }
  const own = { stop: () => paused.pause(), blockMs: () => {} }
  const log = (line: string) => over || lines.push(line)
  const client = () => programs[name]!(at, log, () => (over = true), own)
  const connections: ClientSide[] = []
  const end = { received: () => {}, closed: () => {} }
  const accept = (connection: ClientSide) => {
    connections.push(connection)
    if (name === 'polled') {
      const writes = connections.map((one) => (text: string) => one.reply(text, null))
      if (connections.length === 2)
        polledBy(
          writes,
          (work, ms) => lab.at(ms, work),
          () => paused.resume(),
        )
      return end
    }
    lab.at(stoppedMs, () => paused.pause())
    for (const [ms, text] of sent) lab.at(ms, () => connection.reply(text, null))
    if (ends.startsWith('FIN')) lab.at(endsMs, () => connection.serverClose())
    if (ends.endsWith('RST')) lab.at(endsMs + 50, () => connection.break('ECONNRESET'))
    lab.at(resumedMs, () => paused.resume())
    return end
  }
  lab.network.listen(at.host, at.port, 'server', { accept }, null)
  const paused = lab.start(client)
  await lab.run()
  expect(lab.deaths).toEqual([])
  return lines.join('\n').replace('data one\ndata two', 'data onetwo').split('\n')
}

/** The first seed by which a process that goes on does so. */
function seedThat(how: 'takes timers first' | 'reads first'): number {
  const wanted = how === 'reads first' ? 1 : 0
  for (let seed = 1; ; seed++)
    if (new Choices({ seed }).stream('resume:consumer-1').choose('sockets before timers', 2) === wanted) return seed
}

describe('a process that was stopped', () => {
  const ends: Ends[] = ['FIN', 'RST', 'FIN, then RST']
  const reading = Object.keys(programs).filter((name) => !['timed', 'polled', 'writes by a timer'].includes(name))
  const cases = ends.flatMap((end) => reading.map((name) => [end, name] as const))
  it.concurrent.each(cases)(
    'reads what came before %s, and sees what Node sees: a program that %s',
    async (end, name) => {
      const real = await inRealNode(name, end)
      expect(await inTheSimulator(name, end)).toEqual(real)
      expect(real).toContain('data onetwo')
    },
  )

  it.each(['RST', 'FIN, then RST'] as const)(
    'has its timers run before it reads, and cannot write by then: %s',
    async (end) => {
      const real = await inRealNode('writes by a timer', end)
      const timersFirst = seedThat('takes timers first')
      expect(await inTheSimulator('writes by a timer', end, timersFirst)).toEqual(real)
      expect(real).toContain('timer')
      expect(real.join()).not.toContain('data')
    },
  )

  it('runs the timers that are due, a list for each delay, before it reads, and its immediates after that', async () => {
    const real = await inRealNode('timed', 'nothing')
    expect(await inTheSimulator('timed', 'nothing', seedThat('takes timers first'))).toEqual(real)
    const [first] = real
    expect(first).toMatch(/^timer/)
    expect(real.indexOf('data onetwo')).toBeLessThan(real.indexOf('its immediate'))
    expect(real.indexOf('data onetwo')).toBeGreaterThan(real.indexOf('timer of 500 ms'))
  })

  it('reads before its timers where it had left its poll already, as one that waited for its processor', async () => {
    const real = await inRealNode('polled', 'nothing')
    expect(await inTheSimulator('polled', 'nothing', seedThat('reads first'))).toEqual(real)
    expect(real).toEqual(['data one', 'data one', 'timer'])
  })
})
