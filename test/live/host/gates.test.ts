/** How gates combine faults that meet at one command. Processes and links are fakes. */
import { describe, expect, it } from 'vitest'
import type { PlannedFault } from '../../../src/contract/api/plan.ts'
import type { ConsumerProcess } from '../../../src/live/host/consumer-process.ts'
import { Gates } from '../../../src/live/host/gates.ts'
import type { ConsumerGate, ToConsumer } from '../../../src/live/host/protocol.ts'
import { LiveRecorder } from '../../../src/live/host/recorder.ts'
import type { ProxiedLink } from '../../../src/live/proxy/proxied-link.ts'
import { fault, TinyHost, type TinyProcess } from '../../run/tiny-host.ts'
import { calm } from '../lab.ts'

const at = (boundary: string) => ({ at: boundary, consumer: 0, nth: 1 })

function lab(faults: readonly PlannedFault[]) {
  const { runner, facts } = new TinyHost({ ...calm, consumers: 1, messages: [], faults: [...faults] }, {})
  runner.startConsumers()
  const sent: ToConsumer[] = []
  const held: (() => void)[] = []
  let end = (): void => {}
  const process = Object.assign(runner.slots.running(0)!, {
    send: (message: ToConsumer) => void sent.push(message),
    whenRunning: (work: () => void) => void (process.state === 'running' ? work() : held.push(work)),
    gone: new Promise<void>((resolve) => (end = resolve)),
  }) as TinyProcess & Pick<ConsumerProcess, 'send' | 'whenRunning' | 'gone'>
  const resets: string[] = []
  const lost: string[] = []
  const link = {
    resetNext: async (direction: string) => {
      resets.push(direction)
      return async () => void resets.push(`${direction} taken back`)
    },
  } as unknown as ProxiedLink
  const recorder = new LiveRecorder(
    () => 0,
    () => {},
  )
  const gates = new Gates({
    runner: () => runner as never,
    recorder,
    evidence: { loses: (index, { command }) => void lost.push(`fault ${index}: command ${command}`) },
    isUp: () => true,
    linkOf: () => link,
    failed: () => {},
  })
  const pass = (gate: number, where: 'command-unsent' | 'reply-received') =>
    gates.open(process as never, {
      type: 'gate',
      gate,
      where: { at: where, command: 1, label: 'GET', connection: 1 } as ConsumerGate,
    })
  const closes = (connection: number) => gates.connectionClosed(process as never, connection)
  const resume = () => {
    runner.slots.resume(process)
    for (const work of held.splice(0)) work()
  }
  return { pass, sent, resets, lost, facts, recorder, resume, closes, end: () => end() }
}

const crash = (boundary: string) => fault('crash', at(boundary))
const struck = ({ facts }: ReturnType<typeof lab>) =>
  facts.flatMap((one) => (one.type === 'fault-struck' ? [one.fault] : []))

describe('a command at its gate', () => {
  it('is sent if no fault strikes', async () => {
    const run = lab([])
    await run.pass(1, 'command-unsent')
    expect(run.sent).toEqual([{ type: 'go', gate: 1, drop: false, requestId: 0 }])
  })

  it('meets a reset if its request is lost, and the reset is undone afterwards', async () => {
    const run = lab([fault('lost-request', at('command-unexecuted'))])
    await run.pass(1, 'command-unsent')
    expect(run.resets).toEqual(['to-node'])
    expect(run.recorder.events.map(({ type }) => type)).toEqual(['request-lost'])
    expect(run.lost).toEqual(['fault 0: command 1'])
  })

  it('has its reset undone when its own connection has closed, not another one', async () => {
    const run = lab([fault('lost-request', at('command-unexecuted'))])
    await run.pass(1, 'command-unsent')
    run.closes(2)
    await new Promise(setImmediate)
    expect(run.resets).toEqual(['to-node'])
    run.closes(1)
    await new Promise(setImmediate)
    expect(run.resets).toEqual(['to-node', 'to-node taken back'])
  })

  it('has its reset undone even if its connection closes before the proxy has answered', async () => {
    const run = lab([fault('lost-request', at('command-unexecuted'))])
    const passing = run.pass(1, 'command-unsent')
    while (run.resets.length === 0) await Promise.resolve()
    run.closes(1)
    await passing
    await new Promise(setImmediate)
    expect(run.resets).toEqual(['to-node', 'to-node taken back'])
  })

  it('has its reset undone when its process has ended, which spares the successor', async () => {
    const run = lab([fault('lost-reply', at('command-executed'))])
    await run.pass(1, 'command-unsent')
    run.end()
    await new Promise(setImmediate)
    expect(run.resets).toEqual(['to-process', 'to-process taken back'])
  })

  it('resets no link if a crash has just ended its process, which spares the successor', async () => {
    const run = lab([crash('command-unexecuted'), fault('lost-request', at('command-unexecuted'))])
    await run.pass(1, 'command-unsent')
    expect(run.resets).toEqual([])
    expect(run.recorder.events).toEqual([])
  })

  it('is not executed, and not struck, if its process ended before sending', async () => {
    const partition = fault('partition', at('command-executed'), { node: 'redis', way: 'to-process', healAfterMs: 10 })
    const run = lab([crash('command-unexecuted'), partition])
    await run.pass(1, 'command-unsent')
    expect(struck(run)).toEqual(['crash'])
  })

  it.each(['command-unsent', 'command-unexecuted'])(
    'loses its reply after it was sent if its process is paused at %s',
    async (boundary) => {
      const pause = fault('pause', at(boundary), { healAfterMs: 10 })
      const run = lab([pause, fault('lost-reply', at('command-executed'))])
      const passed = run.pass(1, 'command-unsent')
      await new Promise(setImmediate)
      expect(run.resets).toEqual([])
      run.resume()
      await passed
      expect(run.resets).toEqual(['to-process'])
    },
  )

  it('is struck once by a fault that waits for its reply', async () => {
    const run = lab([crash('command-executed')])
    await run.pass(1, 'command-unsent')
    expect(struck(run)).toEqual([])
    await run.pass(2, 'reply-received')
    await run.pass(3, 'reply-received')
    expect(struck(run)).toEqual(['crash'])
  })
})
