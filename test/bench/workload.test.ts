import { expect, test } from 'vitest'
import { messages, problemOf, type RunEnd } from '../../bench/workload.ts'

const good: RunEnd = {
  effects: ['order-4', 'order-1', 'order-3', 'order-2'],
  settled: messages.length,
  crashes: 1,
  deliveries: 8,
}

test('a run with one effect per key, all messages settled and one crash counts', () => {
  expect(problemOf(good)).toBeNull()
})

test.each([
  ['a repeated effect', { effects: [...good.effects, 'order-4'] }, 'order-4 order-4'],
  ['a missing effect', { effects: good.effects.slice(1) }, 'its effects are'],
  ['an open message', { settled: 4 }, '4 of 5'],
  ['no crash', { crashes: 0 }, '0 consumers crashed'],
  ['two crashes', { crashes: 2 }, '2 consumers crashed'],
])('a run with %s does not count', (_what, other, printed) => {
  expect(problemOf({ ...good, ...other })).toContain(printed)
})
