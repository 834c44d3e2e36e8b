import { spawn } from 'node:child_process'
import net from 'node:net'
import { PassThrough } from 'node:stream'
import { freePort } from 'test-servers'
import { describe, expect, it } from 'vitest'
import { Child } from '../../src/exec/child.ts'
import { LoopbackBridge } from '../../src/exec/loopback-bridge.ts'

const times = { wallUs: 0, monoUs: 0 }
const wake = { type: 'wake' } as const
const idle = (n: number) => `${JSON.stringify({ type: 'idle', n, untilUs: null })}\n`
const log = `${JSON.stringify({ type: 'log', text: 'x' })}\n`

/** A process that answers each line with the next of `answers`. */
async function child(...answers: string[]) {
  const input = new PassThrough()
  const output = new PassThrough()
  const notice: string[] = []
  input.on('data', (line) => {
    notice.push(String(line))
    output.write(answers[notice.length - 1] ?? '')
  })
  const bridge = await LoopbackBridge.listen()
  return { notice, output, bridge, child: new Child({ pid: 0, input, output, bridge, silenceMs: 100 }) }
}

describe('a real process that gets one message at a time', () => {
  it('answers with messages until it is idle', async () => {
    const { child: process, notice } = await child(log + log + idle(1), idle(2))
    const [first, second] = await Promise.all([process.notify(wake, times), process.notify(wake, times)])
    expect(first).toMatchObject({ words: [{ type: 'log' }, { type: 'log' }], idle: { n: 1 } })
    expect(second).toMatchObject({ words: [], idle: { n: 2 } })
    expect(notice.map((line) => JSON.parse(line).n)).toEqual([1, 2])
  })

  it('is out of turn if it sends more after idle', async () => {
    const { child: process } = await child(idle(1) + log)
    expect(await process.notify(wake, times)).toMatchObject({ problem: { kind: 'out-of-turn' } })
  })

  it('is out of turn if it sends something later, and gets no more messages', async () => {
    const { child: process, output, notice } = await child(idle(1), idle(2))
    expect(await process.notify(wake, times)).toMatchObject({ idle: { n: 1 } })
    output.write(log)
    await new Promise(setImmediate)
    expect(await process.notify(wake, times)).toMatchObject({ problem: { kind: 'out-of-turn' } })
    expect(notice).toHaveLength(1)
  })

  it('answers a message before it is stopped, and the rest when it resumes', async () => {
    // Answers each line with idle.
    const answers = String.raw`while read line; do n=$((n+1)); printf '{"type":"idle","n":%d,"untilUs":null}\n' $n; done`
    const { pid, stdin: input, stdout: output } = spawn('sh', ['-c', answers], { stdio: ['pipe', 'pipe', 'ignore'] })
    const bridge = await LoopbackBridge.listen()
    const process = new Child({ pid: pid!, input, output, bridge, silenceMs: 5_000 })
    const first = process.notify(wake, times)
    const stopped = process.pause()
    expect(await first).toMatchObject({ idle: { n: 1 } })
    await stopped
    const [, second] = await Promise.all([process.resume(), process.notify(wake, times)])
    expect(second).toMatchObject({ idle: { n: 2 } })
    process.kill()
  })

  it('is the one whose bytes are awaited, even if it ended before they came', async () => {
    const { child: process, bridge, output } = await child()
    // As after SIGKILL: its last messages are read before its connection is taken.
    const port = await freePort()
    const asked = process.notify(wake, times)
    await new Promise(setImmediate)
    output.write(`{"type":"connect","connection":${port},"host":"redis","port":6379}\n`)
    output.write(`{"type":"sent","connection":${port},"bytes":6}\n`)
    process.ended('was killed')
    await new Promise(setImmediate)
    net.connect({ port: bridge.port, host: '127.0.0.1', localPort: port }).end('PING\r\n')
    expect(await asked).toMatchObject({ words: [{}, { data: 'PING\r\n' }], problem: { kind: 'ended' } })
  })

  it('can close only its own connections, not the bridged connection with that number', async () => {
    const { child: process, bridge, output } = await child()
    const others = net.connect(bridge.port, '127.0.0.1')
    await new Promise((resolve) => others.once('connect', resolve))
    const number = others.localPort!
    await bridge.opened(number, () => false)
    const asked = process.notify(wake, times)
    await new Promise(setImmediate)
    output.write(`{"type":"connect","connection":${number},"host":"redis","port":6379,"inline":true}\n`)
    output.write(`{"type":"close","connection":${number}}\n${idle(1)}`)
    expect(await asked).toMatchObject({ idle: { n: 1 } })
    others.end('PING')
    expect(await bridge.take(number, 4, () => false)).toBe('PING')
  })

  it.each([
    '{"type":"sent","connection":1,"data":"Grüße, €"}',
    '{"type":"sent","connection":1,"bytes":-1}',
    '{"type":"sent","connection":1}',
    '{"type":"connect","connection":1,"host":"redis","port":6379,"inline":"yes"}',
    '{"type":"connect","connection":1,"host":"redis"}',
    '{"type":"threw","delivery":1,"error":null}',
    '{"type":"sink","id":1,"ask":"delete","key":"order-1"}',
    '{"type":"lock","key":"order-1","what":"hoped for"}',
    '{"type":"idle","n":1}',
    '{"type":"idle","n":1,"untilUs":1e999}',
    '{"type":"toString"}',
  ])('breaks the protocol by %s', async (line) => {
    const { child: process } = await child(`${line}\n${idle(1)}`)
    expect(await process.notify(wake, times)).toMatchObject({ problem: { kind: 'not-the-protocol' } })
  })

  it('encodes bytes as characters up to 255', async () => {
    const { child: process } = await child(`{"type":"sent","connection":1,"data":"\\u0000Grüße\\u00ff"}\n${idle(1)}`)
    expect(await process.notify(wake, times)).toMatchObject({ words: [{ data: '\0Grüße\xff' }], idle: { n: 1 } })
  })

  it('is silent if it sends no idle, whatever else it sends', async () => {
    const { child: process } = await child(log)
    expect(await process.notify(wake, times)).toMatchObject({ words: [{ type: 'log' }], problem: { kind: 'silent' } })
  })
})
