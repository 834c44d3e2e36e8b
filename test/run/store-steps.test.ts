/** What servers do by themselves, as steps. */
import { describe, expect, it } from 'vitest'
import { questionOf, seenOf } from '../../src/run/store-steps.ts'
import { stepOf } from './step-of.ts'

describe('what a node believes', () => {
  const steps = (...names: string[]) =>
    ['redis-1a knows ok redis-1a', ...names].map((name) => {
      const [text = '', server = null] = name.split(' on ')
      return { step: stepOf(text), server }
    })
  const later = 'redis-1a knows fail redis-1a'

  it.each([
    ['by commands', 'served', ['consumer-1 command-unexecuted GET on redis-1a', later]],
    ['by commands, where it is asked about its state', 'served', ['consumer-1 asks redis-1a cluster-info', later]],
    ['whole, where it is asked about others', 'told', ['consumer-1 asks redis-1a cluster-slots', later]],
    ['not at all, where it is asked later', null, [later, 'consumer-1 asks redis-1a cluster-slots']],
    ['not at all, where another one is asked', null, ['consumer-1 asks redis-1b cluster-slots', later]],
    [
      'to the end of the run',
      'served',
      ['redis-1b knows ok redis-1a', 'consumer-1 command-unexecuted GET on redis-1a'],
    ],
  ])('is seen %s', (_, seen, names) => {
    expect(seenOf(steps(...names), 0)).toBe(seen)
  })
})

it.each([
  [['SENTINEL', 'get-master-addr-by-name', 'orders'], 'get-master-addr-by-name'],
  [['cluster', 'SLOTS'], 'cluster-slots'],
  [['PING'], null],
])('%j asks for %s', (args, question) => {
  expect(questionOf(args)).toBe(question)
})
