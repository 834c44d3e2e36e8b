import { expect, test } from 'vitest'
import { indexHistory } from '../../../src/contract/api/history-index.ts'
import { mayBeOfAnother } from '../../../src/contract/results/whose-command.ts'
import { aRun } from '../../check/history-builder.ts'

/** Whether `b`, which handles `k1`, may have sent the words for a second delivery. */
function mayBe(words: string, { second = 'm1', process = 'b', published = 'k7' } = {}): boolean {
  const history = aRun().publish('m1').publish('m2', { key: published }).publish('m3', { key: 'k3' })
  history.deliver(1, 'm1', 'b').deliver(2, second, process, 2)
  const reading = indexHistory(history)
  return mayBeOfAnother({ seq: history.events.length, words: words.split(' ') }, reading.deliveries.get(1)!, reading)
}

test('a command may belong to another delivery of the key, even if its lock reads like another key', () => {
  expect(mayBe('GET k1:lock', { published: 'k1:lock' })).toBe(true)
  expect(mayBe('GET k1:lock', { published: 'k1:lock', process: 'a' })).toBe(false)
  expect(mayBe('GET k1:lock')).toBe(true)
})

test('a command may belong to a delivery of another key if it names that key, or no key', () => {
  expect(mayBe('GET k1', { second: 'm3' })).toBe(false)
  expect(mayBe('GET k3', { second: 'm3' })).toBe(true)
  expect(mayBe('GET statistics', { second: 'm3' })).toBe(true)
  expect(mayBe('GET k1:lock', { published: 'k1:lock', second: 'm3' })).toBe(false)
})
