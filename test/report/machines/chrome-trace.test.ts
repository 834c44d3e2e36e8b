import { describe, expect, it } from 'vitest'
import { chromeTrace } from '../../../src/report/machines/chrome-trace.ts'
import { aRun } from '../../check/history-builder.ts'

interface TraceEvent {
  readonly ph: string
  readonly name: string
  readonly pid: number
  readonly ts?: number
  readonly id?: string | number
}

const eventsOf = (history: ReturnType<typeof aRun>) =>
  (chromeTrace(history) as { traceEvents: readonly TraceEvent[] }).traceEvents

describe('one run as a Chrome trace', () => {
  const history = aRun().publish('m1').deliver(1, 'm1', 'consumer-1').at(5).send(1, 1).apply(1).pause('consumer-1')
  history.strike('pause').at(8).resume('consumer-1').heal('pause').notifyCaller(1, 'receipt').done(1).rest()

  it('has a track for each process, the broker, the sink and the faults, with times in microseconds', () => {
    const events = eventsOf(history)
    const tracks = events.filter(({ ph }) => ph === 'M')
    expect(tracks).toHaveLength(4)
    expect(new Set(tracks.map(({ pid }) => pid)).size).toBe(4)
    expect(events.find(({ name }) => name === 'consumer-1 calls the sink for k1')?.ts).toBe(5000)
  })

  it('ends every bar that begins, on its own track', () => {
    const bars = eventsOf(history).filter(({ ph }) => ph === 'b' || ph === 'e')
    const open = new Map<string, number>()
    for (const { ph, id, pid } of bars)
      open.set(`${id} ${pid}`, (open.get(`${id} ${pid}`) ?? 0) + (ph === 'b' ? 1 : -1))
    expect(bars).toHaveLength(8)
    expect([...open.values()].every((n) => n === 0)).toBe(true)
  })

  it('ends the bars of a process at its death, and draws none for a fault that never heals', () => {
    const died = aRun().publish('m1').deliver(1, 'm1', 'a').send(1, 1).strike('crash').at(3).crash('a').rest()
    const bars = eventsOf(died).filter(({ ph }) => ph === 'b' || ph === 'e')
    expect(bars.map(({ ph, id }) => `${ph} ${id}`)).toEqual([
      'b delivery-1',
      'b request-1',
      'e request-1',
      'e delivery-1',
    ])
  })

  it('has an arrow from a request to its effect', () => {
    const arrows = eventsOf(history).filter(({ ph }) => ph === 's' || ph === 'f')
    expect(arrows.map(({ ph, id }) => `${ph} ${id}`)).toEqual(['s 1', 'f 1'])
  })
})
