import { expect, test } from 'vitest'
import { invariants, judge } from '../../src/check/index.ts'
import { invariantNames } from '../../src/contract/api/verdict.ts'
import { aRun } from './history-builder.ts'

test('every invariant has its own name, and describes what it requires', () => {
  expect(Object.keys(invariants).sort()).toEqual([...invariantNames].sort())
  for (const name of invariantNames)
    expect(invariants[name]).toMatchObject({ name, about: expect.stringMatching(/\.$/) })
})

test('a history is judged by the requested invariants in order', () => {
  const history = aRun().publish('m1').settle('m1', 'given-up').rest()
  expect(
    judge(history, ['no-lost-message', 'at-most-once']).map(({ name, verdict }) => [name, verdict.verdict]),
  ).toEqual([
    ['no-lost-message', 'violated'],
    ['at-most-once', 'valid'],
  ])
})

test('a working run is valid by all of them', () => {
  const history = aRun({ faultFree: true }).publish('m1').deliver(1, 'm1', 'consumer-1').send(1, 1).apply(1).done(1)
  history.settle('m1', 'done').add({ type: 'keys-counted', keys: 1, withoutExpiry: 0 }).rest()
  for (const { name, verdict } of judge(history, invariantNames))
    expect([name, verdict.verdict]).toEqual([name, 'valid'])
})

test('only facts are judged, not traces', () => {
  const facts = aRun()
    .publish('m1')
    .deliver(1, 'm1', 'consumer-1')
    .send(1, 1)
    .apply(1)
    .settle('m1', 'dead-lettered')
    .rest()
  const traced = aRun().publish('m1').add({ type: 'log', process: 'consumer-1', stream: 'stdout', text: 'hello' })
  traced.deliver(1, 'm1', 'consumer-1').add({ type: 'command', process: 'consumer-1', command: 'GET k1', reply: 'nil' })
  traced.send(1, 1).apply(1).settle('m1', 'dead-lettered').rest()
  const verdicts = (history: typeof facts) => judge(history, invariantNames).map(({ verdict }) => verdict.verdict)
  expect(verdicts(traced)).toEqual(verdicts(facts))
})
