/**
 * Which observations count as evidence of a fault, on both sides of each limit. The observations
 * are made up.
 */
import { describe, expect, it } from 'vitest'
import { ClockWatch } from '../../../src/live/evidence/clock-watch.ts'
import { type Exchange, Exchanges } from '../../../src/live/evidence/exchanges.ts'
import { seenOfSilence } from '../../../src/live/evidence/forgotten.ts'
import { seenThrough } from '../../../src/live/evidence/link-window.ts'
import { seenOfLoss } from '../../../src/live/evidence/lost-command.ts'
import { Standstill } from '../../../src/live/evidence/standstill.ts'

const exchange = (sentMs: number, answeredMs: number | null): Exchange => ({
  process: 'consumer-1',
  slot: 0,
  port: 1,
  connection: 1,
  command: 1,
  sentMs,
  answeredMs,
})

describe('a link that is blocked from 100 to 200', () => {
  const blocked = { slot: 0, ports: [1], extraMs: null, fromMs: 100, untilMs: 200 }
  it.each([
    ['observed: a reply came only afterwards', [exchange(120, 201)], 'seen'],
    ['observed: no reply came', [exchange(120, null)], 'seen'],
    ['observed: an earlier request was answered only afterwards', [exchange(90, 250)], 'seen'],
    ['refuted: a request and its reply passed meanwhile', [exchange(120, 199), exchange(130, 260)], 'refuted'],
    ['undecided: a reply was on its way at the start', [exchange(99, 101)], 'unseen'],
    ['undecided: nothing was sent', [exchange(10, 20), exchange(201, 202)], 'unseen'],
  ])('%s', (_, exchanges, as) => expect(seenThrough(blocked, exchanges).as).toBe(as))
})

describe('a link that takes 40 ms longer in each direction from 100 to 200', () => {
  const slow = { slot: 0, ports: [1], extraMs: 40, fromMs: 100, untilMs: 200 }
  it.each([
    ['observed: an exchange took twice that', [exchange(110, 190)], 'seen'],
    ['observed: an answer came only after the end', [exchange(190, 201)], 'seen'],
    ['refuted: an exchange took less', [exchange(110, 187)], 'refuted'],
    ['undecided: nothing was sent', [exchange(99, 100)], 'unseen'],
  ])('%s', (_, exchanges, as) => expect(seenThrough(slow, exchanges).as).toBe(as))
})

describe('connections that are forgotten from 100 on', () => {
  it.each([
    ['observed: a request was never answered', [exchange(120, null)], 'seen'],
    ['observed: a reply on its way never came', [exchange(99, null), exchange(10, 20)], 'seen'],
    ['refuted: a request and its reply passed', [exchange(90, null), exchange(120, 130)], 'refuted'],
    ['undecided: nothing was sent afterwards', [exchange(10, 20), exchange(99, 101)], 'unseen'],
  ])('%s', (_, exchanges, as) => expect(seenOfSilence(exchanges, 100).as).toBe(as))

  it('are the open ones of that process only', () => {
    const exchanges = new Exchanges()
    const hear = (name: string, connection: number, exchange: number) =>
      exchanges.hear(
        { name, slot: 0, state: 'running' },
        { type: 'exchange-sent', exchange, port: 1, connection, atMs: 1 },
      )
    hear('consumer-1', 1, 1)
    hear('consumer-1', 2, 2)
    hear('consumer-1.2', 1, 3)
    expect(exchanges.on('consumer-1', [1])).toMatchObject([{ process: 'consumer-1', connection: 1 }])
  })
})

describe('a command whose reply should be lost', () => {
  const process = { name: 'consumer-1', slot: 0, state: 'running' } as const
  const lost = { process: 'consumer-1', command: 7, label: 'GET' }
  const reported = (...messages: Parameters<Exchanges['hear']>[1][]) => {
    const exchanges = new Exchanges()
    for (const message of messages) exchanges.hear(process, message)
    return seenOfLoss(lost, exchanges)
  }
  const open = { type: 'connection-open', connection: 2 } as const
  const closed = { type: 'connection-closed', connection: 2 } as const
  const sent = { type: 'exchange-sent', exchange: 3, port: 1, connection: 2, command: 7, atMs: 1 } as const
  const answered = { type: 'exchange-answered', exchange: 3, atMs: 2 } as const

  it('has lost it if its connection closed before the reply', () =>
    expect(reported(open, sent, closed).as).toBe('seen'))
  it('has not lost it if it came, whatever closed later', () =>
    expect(reported(open, sent, answered, closed)).toEqual({
      as: 'refuted',
      why: 'the reply to GET of consumer-1 arrived anyway',
    }))
  it('is undecided if its connection stays open', () => expect(reported(open, sent).as).toBe('unseen'))
  it('has no reply to lose if it was never sent', () => expect(reported(open).as).toBe('unseen'))
})

describe('a process that should be paused', () => {
  it('is paused if its answer comes only after the pause', () => {
    const standstill = new Standstill('consumer-1')
    standstill.end()
    standstill.answer()
    expect(standstill.seen.as).toBe('seen')
  })

  it('is not paused if it answers before', () => {
    const standstill = new Standstill('consumer-1')
    standstill.answer()
    standstill.end()
    expect(standstill.seen.as).toBe('refuted')
  })
})

describe('a clock', () => {
  const originMs = 1_000_000
  const looked = (shiftMs: number) =>
    ({ type: 'looked', look: 1, wallMs: originMs + 500 + shiftMs, fromMs: 500, toMs: 501 }) as const
  const ahead = { offsetMs: 5000, frozenAtMs: null }

  it('was shifted if it returns the shifted time', () => {
    const watch = new ClockWatch('consumer-1', originMs)
    watch.report(ahead)
    watch.ask()(looked(5000))
    expect(watch.seen.as).toBe('seen')
  })

  it('was not shifted if it returns the real time', () => {
    const watch = new ClockWatch('consumer-1', originMs)
    watch.report(ahead)
    watch.ask()(looked(5000))
    watch.ask()(looked(0))
    expect(watch.seen).toEqual({ as: 'refuted', why: 'the clock of consumer-1 is 5000 ms off the requested time' })
  })

  it('may return either time if it changed during the question', () => {
    const watch = new ClockWatch('consumer-1', originMs)
    watch.report({ offsetMs: 0, frozenAtMs: null })
    const answer = watch.ask()
    watch.report(ahead)
    answer(looked(0))
    expect(watch.seen.as).toBe('seen')
  })

  it('returns one time while it is stopped', () => {
    const watch = new ClockWatch('consumer-1', originMs)
    watch.report({ offsetMs: 0, frozenAtMs: 1000 })
    watch.ask()({ ...looked(0), wallMs: 1000 })
    expect(watch.seen.as).toBe('seen')
    watch.ask()(looked(0))
    expect(watch.seen.as).toBe('refuted')
  })

  it('is undecided if its process could not be asked', () =>
    expect(new ClockWatch('consumer-1', originMs).seen.as).toBe('unseen'))
})
