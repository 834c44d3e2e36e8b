import { spawn } from 'node:child_process'
import { PassThrough } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { Carriers } from '../../src/exec/carriers.ts'
import { Child } from '../../src/exec/child.ts'

const times = { wallUs: 0, monoUs: 0 }
const wake = { type: 'wake' } as const
const idle = (n: number) => `${JSON.stringify({ type: 'idle', n, untilUs: null })}\n`
const log = `${JSON.stringify({ type: 'log', text: 'x' })}\n`

/** A process that answers each line that it is told with the next of `answers`. */
async function child(...answers: string[]) {
  const input = new PassThrough()
  const output = new PassThrough()
  const told: string[] = []
  input.on('data', (line) => {
    told.push(String(line))
    output.write(answers[told.length - 1] ?? '')
  })
  const carriers = await Carriers.listen()
  return { told, output, child: new Child({ pid: 0, input, output, carriers, silenceMs: 100 }) }
}

describe('a real process that is told one thing at a time', () => {
  it('answers with words until it is idle', async () => {
    const { child: process, told } = await child(log + log + idle(1), idle(2))
    const [first, second] = await Promise.all([process.tell(wake, times), process.tell(wake, times)])
    expect(first).toMatchObject({ words: [{ type: 'log' }, { type: 'log' }], idle: { n: 1 } })
    expect(second).toMatchObject({ words: [], idle: { n: 2 } })
    expect(told.map((line) => JSON.parse(line).n)).toEqual([1, 2])
  })

  it('is out of turn when it says more than that it is idle', async () => {
    const { child: process } = await child(idle(1) + log)
    expect(await process.tell(wake, times)).toMatchObject({ problem: { kind: 'out-of-turn' } })
  })

  it('is out of turn when it goes on later, and is told nothing more', async () => {
    const { child: process, output, told } = await child(idle(1), idle(2))
    expect(await process.tell(wake, times)).toMatchObject({ idle: { n: 1 } })
    output.write(log)
    await new Promise(setImmediate)
    expect(await process.tell(wake, times)).toMatchObject({ problem: { kind: 'out-of-turn' } })
    expect(told).toHaveLength(1)
  })

  it('answers what it was told before it is stopped, and the rest when it goes on', async () => {
    // Answers each line with idle.
    const answers = String.raw`while read line; do n=$((n+1)); printf '{"type":"idle","n":%d,"untilUs":null}\n' $n; done`
    const { pid, stdin: input, stdout: output } = spawn('sh', ['-c', answers], { stdio: ['pipe', 'pipe', 'ignore'] })
    const carriers = await Carriers.listen()
    const process = new Child({ pid: pid!, input, output, carriers, silenceMs: 5_000 })
    const first = process.tell(wake, times)
    const stopped = process.pause()
    expect(await first).toMatchObject({ idle: { n: 1 } })
    await stopped
    const [, second] = await Promise.all([process.resume(), process.tell(wake, times)])
    expect(second).toMatchObject({ idle: { n: 2 } })
    process.kill()
  })

  it('is silent when no idle comes, whatever else it says', async () => {
    const { child: process } = await child(log)
    expect(await process.tell(wake, times)).toMatchObject({ words: [{ type: 'log' }], problem: { kind: 'silent' } })
  })
})
