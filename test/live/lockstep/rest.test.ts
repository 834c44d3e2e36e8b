/** When a process of a run that follows a schedule is at rest. The process is a fake. */
import { describe, expect, it } from 'vitest'
import type { ConsumerProcess } from '../../../src/live/host/consumer-process.ts'
import type { ToConsumer } from '../../../src/live/host/protocol.ts'
import { Rest } from '../../../src/live/lockstep/rest.ts'

function lab(endsInTurn: boolean) {
  const sent: ToConsumer[] = []
  const waits: { readonly ms: number; readonly over: () => void }[] = []
  const process = {
    name: 'consumer-1',
    state: 'running',
    loaded: Promise.resolve(null),
    gone: new Promise(() => {}),
    undigested: 0,
    send: (message: ToConsumer) => void sent.push(message),
  } as unknown as ConsumerProcess
  const rest = new Rest({
    processes: () => [process],
    atSink: () => 0,
    endsInTurn,
    wait: (ms) => new Promise<void>((over) => void waits.push({ ms, over })),
  })
  let rests = false
  void rest.of('consumer-1').then(() => (rests = true))
  return { rest, sent, waits, rests: () => rests }
}

const turns = async (): Promise<void> => {
  for (let turn = 0; turn < 4; turn++) await new Promise(setImmediate)
}

describe('a process that reports rest', () => {
  it('is at rest if the end of a connection comes within a turn', async () => {
    const { rest, rests } = lab(true)
    await turns()
    rest.hear({ type: 'at-rest', question: 1 })
    await turns()
    expect(rests()).toBe(true)
  })

  it('is at rest after a second report if the end of a connection may be on its way', async () => {
    const { rest, rests, waits } = lab(false)
    await turns()
    rest.hear({ type: 'at-rest', question: 1 })
    await turns()
    expect({ rests: rests(), waited: waits.map(({ ms }) => ms) }).toEqual({ rests: false, waited: [250] })
    waits[0]!.over()
    await turns()
    rest.hear({ type: 'at-rest', question: 2 })
    await turns()
    expect(rests()).toBe(true)
  })

  it('is not asked again once the answer is not needed, and is notified', async () => {
    const { rest, sent, waits } = lab(false)
    await turns()
    rest.hear({ type: 'at-rest', question: 1 })
    await turns()
    rest.over('consumer-1')
    waits[0]!.over()
    await turns()
    expect(sent.map(({ type }) => type)).toEqual(['rest', 'rest-over'])
  })
})
