/** Breaks each assumption of the parts of a run by hand, and checks that the assertion fires. */

import { BrokenAssumption } from 'virtual-node/assert'
import { describe, expect, it } from 'vitest'
import type { Message } from '../../src/contract/api/message.ts'
import { type Boundary, boundaries } from '../../src/contract/api/plan.ts'
import { type BoundaryEvent, isCarriedOut } from '../../src/run/boundary-event.ts'
import { Broker } from '../../src/run/broker.ts'
import { CrashPoints } from '../../src/run/crash-points.ts'
import type { Fault } from '../../src/run/faults/fault.ts'
import { faults } from '../../src/run/faults/index.ts'
import { Poisons } from '../../src/run/poisons.ts'
import { MemoryLedger } from '../../src/run/sink/memory-ledger.ts'
import { fault, playTiny } from './tiny-host.ts'

interface Consumer {
  readonly name: string
}

/** A broker of one message. The test runs the callbacks of `after`, and sets `chance`. */
function newBroker({ consumers = 1, chance = (_what: string): number => 0 } = {}) {
  const later: (() => void)[] = []
  const plan = { visibilityMs: 1000, redeliveryMs: 100, maxAttempts: 50 }
  const reported: string[] = []
  const connected: Consumer[] = Array.from({ length: consumers }, (_, at) => ({ name: `consumer-${at + 1}` }))
  const run = {
    ...{ plan: plan as never, gracePeriodMs: 0, nowUs: () => 0, chance },
    recorder: { fact: ({ type }: { readonly type: string }) => void reported.push(type) },
    after: (_delayUs: number, work: () => void) => void later.push(work),
  }
  const broker = new Broker<Consumer>(run, { connected: () => connected, handles: () => false, hand() {} })
  const message: Message = { id: 'message-1', key: 'k', payload: 1, producedAt: 0 }
  broker.publish(message, '1', false)
  return { broker, entry: broker.entries[0]!, connected, later, run }
}

describe('the broker stops', () => {
  it('when a settled message is delivered or settled again', () => {
    const { broker, entry, connected } = newBroker()
    const delivery = entry.open!
    broker.answer(delivery, { outcome: { status: 'done', result: null } })
    expect(() => broker.deliver(entry, connected[0]!)).toThrow('settled message is not delivered')
    entry.open = delivery
    expect(() => broker.answer(delivery, { outcome: { status: 'done', result: null } })).toThrow('settled once')
  })

  it('when a message becomes ready that is out, or waits', () => {
    const { broker, entry, connected, later } = newBroker()
    broker.answer(entry.open!, { outcome: { status: 'retry' } })
    const [, again] = later
    again!()
    expect(() => again!()).toThrow('only a waiting message')
    entry.open = null
    connected.length = 0
    again!()
    expect(() => again!()).toThrow('waits in one place')
  })

  it('when a ready message is out or settled', () => {
    const { broker, entry, connected } = newBroker({ consumers: 0 })
    entry.open = { id: 1, entry, process: { name: 'made up' } }
    connected.push({ name: 'consumer-1' })
    expect(() => broker.passOver(0)).toThrow('does not wait')
    entry.settled = false
    entry.open = { id: 1, entry, process: { name: 'made up' } }
    expect(() => broker.dispatch()).toThrow('ready message is not out')
  })

  it('when it gives up an idle message, or waits too long', () => {
    const { entry, later, run } = newBroker()
    run.recorder.fact = () => {
      entry.open = null
    }
    expect(() => later[0]!()).toThrow('only on an outstanding delivery')
    const slow = newBroker({ chance: (what) => (what === 'redelivery' ? 1e9 : 0) })
    expect(() => slow.broker.answer(slow.entry.open!, { outcome: { status: 'retry' } })).toThrow('than its bound')
  })
})

describe('the runner stops', () => {
  it('when the time of the plan begins twice', async () => {
    const { runner } = await playTiny({})
    expect(() => runner.begin()).toThrow('begins once')
  })

  it('when a fault strikes that differs from the plan, or is not in it', async () => {
    const { runner } = await playTiny({ faults: [fault('slow-redis', { at: 'time', ms: 1 }, { healAfterMs: 5 })] })
    const other = fault('crash', { at: 'time', ms: 1 }, { consumer: 0 })
    expect(() => runner.injection.strike(0, other, null)).toThrow('as the plan has it')
    expect(() => runner.injection.strike(1, other, null)).toThrow(BrokenAssumption)
  })

  it('when a fault makes a decision at a boundary that ignores it', async () => {
    const slow = { ...faults.get('slow-effect')!, kind: 'slow-answer', onlyAt: undefined } as unknown as Fault
    const kinds = faults as Map<string, Fault>
    kinds.set('slow-answer', slow)
    try {
      const playAt = (at: Boundary) =>
        playTiny({ faults: [fault('slow-answer', { at, consumer: 0, nth: 1 }, { extraMs: 50 })] })
      expect((await playAt('effect-unapplied')).errors).toEqual([])
      await expect(playAt('effect-applied')).rejects.toThrow('a fault decides what its boundary carries out')
    } finally {
      kinds.delete('slow-answer')
    }
  })
})

it('each boundary carries out the decisions that its code reads', () => {
  const changes = {
    drop: { verdict: 'drop' },
    refuse: { verdict: 'refuse' },
    fail: { verdict: 'fail' },
    error: { error: 'ERR no' },
    slowUs: { slowUs: 1 },
  } as const
  const carriedOutAt = (boundary: Boundary, sink: 'plain' | 'transactional') =>
    Object.entries(changes).flatMap(([name, change]) => {
      const event = { boundary, verdict: 'pass', error: null, slowUs: 0, ...change } as unknown as BoundaryEvent
      return isCarriedOut(event, sink) ? [name] : []
    })
  const table = boundaries.map((boundary) => [boundary, carriedOutAt(boundary, 'plain')])
  expect(Object.fromEntries(table)).toEqual({
    'delivery-received': ['drop'],
    'command-unsent': ['drop'],
    'command-unexecuted': ['drop', 'error'],
    'command-executed': ['drop'],
    'reply-received': ['drop'],
    'effect-unsent': ['drop'],
    'effect-unapplied': ['drop', 'refuse', 'fail', 'slowUs'],
    'effect-applied': ['drop', 'fail'],
    'effect-answered': ['drop'],
    answered: ['drop'],
    acknowledged: [],
  })
  expect(carriedOutAt('effect-unsent', 'transactional')).toEqual(['drop', 'refuse', 'fail'])
})

describe('a consumer slot stops', () => {
  const played = async () => {
    const { runner } = await playTiny({})
    return { slots: runner.slots, process: runner.slots.running(0)! }
  }

  it('when a process creates its layer twice', async () => {
    const { slots, process } = await played()
    expect(() => slots.created(process)).toThrow('creates its layer once')
  })

  it('when a paused process is paused', async () => {
    const { slots, process } = await played()
    slots.pause(process)
    expect(() => slots.pause(process)).toThrow('only a process that runs')
  })

  it('when its host does not kill a process', async () => {
    const { slots, process } = await played()
    Object.defineProperty(process, 'state', { get: () => 'running', set() {} })
    expect(() => slots.crash(process)).toThrow('was killed has ended')
  })
})

it('a sink must decide before it is asked again', () => {
  let nowMs = 5
  const ledger = new MemoryLedger('keyed', { sinkRemembersMs: 1000, nowMs: () => nowMs })
  ledger.perform({ key: 'k', payload: 1 }, false)
  nowMs = 4
  expect(() => ledger.lookup('k')).toThrow('decided before it is asked again')
})

it('a delivery must be received before it is handled, and a poison message must do harm', () => {
  expect(() => new CrashPoints(1000).pass('answered', null, -1)).toThrow('received before it is handled')
  expect(() => new Poisons().add('k', 'kills', 0)).toThrow('at least once')
})
