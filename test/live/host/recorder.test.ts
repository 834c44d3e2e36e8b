import { expect, it } from 'vitest'
import type { Fact, HistoryEvent } from '../../../src/contract/api/history.ts'
import { LiveRecorder } from '../../../src/live/host/recorder.ts'

const applied = (requestId: number) => ({ type: 'effect-applied', requestId }) as unknown as Fact
const sent = (requestId: number) => ({ type: 'effect-sent', requestId }) as unknown as Fact

function recorded(...times: readonly number[]): { recorder: LiveRecorder; events: HistoryEvent[] } {
  let now = 0
  const recorder = new LiveRecorder(
    () => now,
    () => {},
  )
  const events = times.map((at, index) => {
    now = at
    return recorder.fact(sent(index))
  })
  return { recorder, events }
}

const shown = ({ events }: LiveRecorder) =>
  events.map((event) => [event.seq, event.atUs, `${event.type} ${(event as { requestId?: number }).requestId}`])

it('a fact that becomes known later is inserted at its time', () => {
  const { recorder, events } = recorded(10, 20, 30)
  recorder.insert([
    { atUs: 25, fact: applied(0), after: events[0]! },
    { atUs: 20, fact: applied(1), after: events[1]! },
    { atUs: 99, fact: applied(2), after: events[2]! },
  ])
  expect(shown(recorder)).toEqual([
    [0, 10, 'effect-sent 0'],
    [1, 20, 'effect-sent 1'],
    [2, 20, 'effect-applied 1'],
    [3, 25, 'effect-applied 0'],
    [4, 30, 'effect-sent 2'],
    [5, 99, 'effect-applied 2'],
  ])
})

it('an inserted fact comes after its cause, even if two clocks differ', () => {
  const { recorder, events } = recorded(10, 20, 30)
  recorder.insert([{ atUs: 5, fact: applied(1), after: events[1]! }])
  expect(shown(recorder)).toEqual([
    [0, 10, 'effect-sent 0'],
    [1, 20, 'effect-sent 1'],
    [2, 20, 'effect-applied 1'],
    [3, 30, 'effect-sent 2'],
  ])
})
