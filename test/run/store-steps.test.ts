/** The steps of servers on their own. */
import { describe, expect, it } from 'vitest'
import { questionOf, seenOf } from '../../src/run/store-steps.ts'
import { stepOf } from './step-of.ts'

describe('the view of a node', () => {
  const steps = (...names: string[]) =>
    ['redis-1a knows ok redis-1a', ...names].map((name) => {
      const [text = '', server = null] = name.split(' on ')
      return { step: stepOf(text), server }
    })
  const later = 'redis-1a knows fail redis-1a'

  it.each([
    ['by commands', 'served', ['consumer-1 command-unexecuted GET on redis-1a', later]],
    ['by commands, if its state is asked', 'served', ['consumer-1 asks redis-1a cluster-info', later]],
    ['completely, if it is asked about others', 'told', ['consumer-1 asks redis-1a cluster-slots', later]],
    ['not at all, if it is asked later', null, [later, 'consumer-1 asks redis-1a cluster-slots']],
    ['not at all, if another node is asked', null, ['consumer-1 asks redis-1b cluster-slots', later]],
    [
      'until the end of the run',
      'served',
      ['redis-1b knows ok redis-1a', 'consumer-1 command-unexecuted GET on redis-1a'],
    ],
  ])('is observed %s', (_, seen, names) => {
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
