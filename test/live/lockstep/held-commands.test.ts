/**
 * What waits at the gates of a run that follows a schedule. Runner, replayer and process are fakes.
 */
import { describe, expect, it } from 'vitest'
import { type Step, stepText } from '../../../src/contract/results/step.ts'
import type { ConsumerProcess } from '../../../src/live/host/consumer-process.ts'
import type { BegunConnection, ConsumerGate, FromConsumer } from '../../../src/live/host/protocol.ts'
import { HeldCommands } from '../../../src/live/lockstep/held-commands.ts'
import { stepOf } from '../../run/step-of.ts'

type Setting = ConstructorParameters<typeof HeldCommands>[0]

const pass = { verdict: 'pass', slowUs: 0 }

/** `fails`: the boundary at which a fault cannot be carried out. */
function lab(fails?: string, more: Partial<Setting> = {}) {
  const unexecuted: (() => void)[] = []
  const withdrawn: string[] = []
  const holds: Promise<unknown>[] = []
  const errors: unknown[] = []
  const hungUps: string[] = []
  const hears: (() => string)[] = []
  const atSink: ((reply: object) => void)[] = []
  const sent: object[] = []
  let exit = (): void => {}
  const runner = {
    effects: {
      nextRequestId: () => 1,
      askedFor: () => ({ key: 'order-1', nth: 1 }),
      sent: async () => pass,
      arrived: (_: unknown, __: unknown, reply: (reply: object) => void) => void atSink.push(reply),
    },
    pass: async (...[_, boundary, , , , hungUp]: [unknown, string, ...unknown[]]) => {
      if (hungUp === true) hungUps.push(boundary)
      if (boundary === fails) throw new Error('Redis cannot be started again')
      if (boundary === 'command-unexecuted') await new Promise<void>((resolve) => unexecuted.push(resolve))
      return pass
    },
    heard: (_: unknown, what: string, number: () => number) => {
      hears.push(() => `${what} ${number()}`)
      return new Promise(() => {})
    },
  }
  const replayer = {
    expects: () => true,
    hasRoomFor: (step: Step) => stepText(step) === 'consumer-1 handshake-answered 1',
    changed: () => {},
    pace: { behindMs: 0 },
    last: { server: null },
    labelOf: (label: string) => label,
    by: <T>(_connection: string, work: () => T) => work(),
    hold: (work: Promise<unknown>) => void holds.push(work),
    hangUp: (step: Step) => void withdrawn.push(stepText(step)),
    withdraw: (step: Step) => void withdrawn.push(stepText(step)),
  }
  const gone = new Promise<void>((resolve) => (exit = resolve))
  const process = {
    name: 'consumer-1',
    state: 'running',
    gone,
    send: (one: object) => void sent.push(one),
  } as unknown as ConsumerProcess
  const recorder = { events: [] }
  const failed = (error: unknown) => void errors.push(error)
  const machineBehind = () => 'redis-1a'
  const setting = { runner: () => runner, replayer, recorder, failed, machineBehind, ...more }
  const held = new HeldCommands(setting as unknown as Setting)
  const open = (where: ConsumerGate) =>
    held.open(process, { type: 'gate', gate: 1, where } as Extract<FromConsumer, { type: 'gate' }>)
  return { held, process, open, unexecuted, withdrawn, holds, exit, errors, atSink, hungUps, hears, sent }
}

const settled = async (work: Promise<unknown>): Promise<boolean> => {
  let done = false
  void work.then(() => (done = true))
  for (let turn = 0; turn < 3; turn++) await new Promise(setImmediate)
  return done
}

describe('a request to the sink that has left its process', () => {
  const request: ConsumerGate = { at: 'effect-unsent', key: 'order-1', fingerprint: '{}' }

  it('holds the schedule until it reaches the sink', async () => {
    const { held, process, open, holds } = lab()
    await open(request)
    expect(await settled(holds[0]!)).toBe(false)
    held.arrived(process, { requestId: 1, key: 'order-1', payload: {} }, () => {})
    expect(await settled(holds[0]!)).toBe(true)
  })

  it('does not hold the schedule once its process has ended, because it may never arrive', async () => {
    const { open, holds, exit } = lab()
    await open(request)
    exit()
    expect(await settled(holds[0]!)).toBe(true)
  })
})

describe('an answer of the sink', () => {
  const request: ConsumerGate = { at: 'effect-unsent', key: 'order-1', fingerprint: '{}' }
  const timedOut = 'consumer-1 effect-settled error order-1'

  async function answered(reported: (held: HeldCommands) => void = () => {}) {
    const run = lab()
    await run.open(request)
    reported(run.held)
    run.held.arrived(run.process, { requestId: 1, key: 'order-1', payload: {} }, () => {})
    await settled(run.holds[0]!)
    run.atSink[0]!({ status: 'applied', receipt: {} })
    await settled(Promise.resolve())
    return { ...run, answers: run.holds.slice(1) }
  }

  it('holds the schedule until its process has it', async () => {
    const { open, answers } = await answered()
    expect(await settled(answers[0]!)).toBe(false)
    await open({ at: 'effect-answered', requestId: 1 })
    expect(await settled(answers[0]!)).toBe(true)
  })

  it('does not hold the schedule if its call has timed out', async () => {
    expect((await answered((held) => held.wanted(stepOf(timedOut)))).answers).toEqual([])
  })
})

it('two equal commands of one write leave in their order', async () => {
  const { open, unexecuted } = lab()
  const where = { at: 'command-unsent', label: 'SET', connection: 7, port: 1, redisKey: 'a' } as const
  const [one, other] = [open({ ...where, command: 1, first: true }), open({ ...where, command: 2, first: false })]
  await settled(Promise.resolve())
  unexecuted[0]!()
  expect([await settled(one), await settled(other)]).toEqual([true, false])
})

describe('a connection that closes', () => {
  const get: ConsumerGate = {
    at: 'command-unsent',
    command: 1,
    label: 'GET',
    connection: 7,
    port: 1,
    redisKey: 'a',
    first: true,
  }
  const name = 'consumer-1 command-unexecuted GET a'

  it('withdraws each waiting command of it, but none that has left', async () => {
    const { held, process, open, unexecuted, withdrawn } = lab()
    const [left] = [open(get), open({ ...get, command: 2 })]
    await settled(Promise.resolve())
    unexecuted[0]!()
    await left
    held.connectionClosed(process, 7)
    expect(withdrawn).toEqual([name])
  })

  it('withdraws no command of another connection', async () => {
    const { held, process, open, withdrawn } = lab()
    void open(get)
    await settled(Promise.resolve())
    held.connectionClosed(process, 8)
    expect(withdrawn).toEqual([])
  })
})

describe('a connection that closes in the turn of its write', () => {
  it('still sends its command to Redis', async () => {
    const { held, process, open, hungUps } = lab()
    void open({ at: 'command-unsent', command: 1, label: 'DEL', connection: 7, port: 1, redisKey: 'a', first: true })
    held.connectionClosed(process, 7)
    await settled(Promise.resolve())
    expect(hungUps).toEqual(['command-unexecuted'])
  })
})

describe('a handshake reply', () => {
  const begun = (number: number, port = 1): BegunConnection => ({ port, number })
  const handshakeAnswered = (connection: number): ConsumerGate => ({
    ...{ at: 'heard', what: 'handshake-answered', connection },
    begun: begun(connection),
  })

  it('has the number of its connection when it is admitted: an earlier connection may close unheard meanwhile', () => {
    const { held, process, open, hears } = lab()
    void open(handshakeAnswered(2))
    expect(hears.map((name) => name())).toEqual(['handshake-answered 2'])
    held.connectionClosed(process, 1, begun(1))
    expect(hears.map((name) => name())).toEqual(['handshake-answered 1'])
  })

  it('keeps its number if a connection to another server closes unheard', () => {
    const { held, process, open, hears } = lab()
    void open(handshakeAnswered(2))
    held.connectionClosed(process, 1, begun(1, 2))
    expect(hears.map((name) => name())).toEqual(['handshake-answered 2'])
  })

  it('counts an earlier connection that received a reply', () => {
    const { held, process, open, hears } = lab()
    void open(handshakeAnswered(2))
    held.connectionClosed(process, 1)
    expect(hears.map((name) => name())).toEqual(['handshake-answered 2'])
  })
})

describe('on a Cluster', () => {
  const heard = (what: 'handshake-answered' | 'disconnected' | 'told'): ConsumerGate => ({
    ...{ at: 'heard', what, connection: 1 },
    begun: { port: 1, number: 1 },
  })

  it.each(['handshake-answered', 'disconnected'] as const)(
    'a client never receives %s unless it is scheduled',
    async (what) => {
      const { open, sent } = lab(undefined, { isCluster: true })
      void open(heard(what))
      await settled(Promise.resolve())
      expect(sent).toEqual([])
    },
  )

  it('a client receives push messages even if they are not scheduled', async () => {
    const { open, sent } = lab(undefined, { isCluster: true })
    await open(heard('told'))
    expect(sent).toMatchObject([{ type: 'go', drop: false }])
  })

  it('an unscheduled question gets no answer, because its node may be paused by then', async () => {
    const { open, sent } = lab(undefined, { isCluster: true })
    void open({ at: 'asking', connection: 1, port: 1, question: 'cluster-slots' })
    await settled(Promise.resolve())
    expect(sent).toEqual([])
  })
})

describe('a connection', () => {
  it.each([
    [true, false],
    [false, true],
  ])('is made if the server listens (%s), and refused otherwise', async (listens, drop) => {
    const { open, sent } = lab(undefined, { connects: async () => listens })
    await open({ at: 'connecting', port: 1 })
    expect(sent).toMatchObject([{ type: 'go', drop }])
  })
})

describe('a reply that has reached its process', () => {
  const get = {
    type: 'replied',
    command: 1,
    connection: 1,
    label: 'GET',
    args: ['GET', 'a'],
    reply: '$-1\r\n',
  } as const

  it('is admitted when it is received, without another message of its process', async () => {
    const { held, process, sent } = lab()
    held.replied(process, { ...get, gate: 7 })
    await settled(Promise.resolve())
    expect(sent).toMatchObject([{ type: 'go', gate: 7, drop: false, reset: false }])
  })

  it('is not admitted if the process has closed the connection', async () => {
    const { held, process, sent } = lab()
    held.replied(process, { ...get, gate: null })
    await settled(Promise.resolve())
    expect(sent).toEqual([])
  })
})

describe('a fault that cannot be carried out', () => {
  it('fails the run if a reply should be lost but its process never takes it in', async () => {
    const { held, process, errors } = lab('command-executed')
    const get = { command: 1, connection: 1, label: 'GET', args: ['GET', 'a'], reply: '$-1\r\n' }
    held.replied(process, { type: 'replied', ...get, gate: 1 })
    await settled(Promise.resolve())
    expect(errors).toEqual([new Error('Redis cannot be started again')])
  })

  it('fails the run if the sink has answered', async () => {
    const { held, process, errors, atSink } = lab('effect-answered')
    const replies: unknown[] = []
    held.arrived(process, { requestId: 1, key: 'order-1', payload: {} }, (reply) => void replies.push(reply))
    atSink[0]!({ status: 'applied', receipt: {} })
    await settled(Promise.resolve())
    expect(errors).toEqual([new Error('Redis cannot be started again')])
    expect(replies).toEqual([])
  })
})
