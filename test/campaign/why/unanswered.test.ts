/** The store could not answer an attempt, which performed anyway. */
import { OK } from 'redis-sim/resp'
import { describe, expect, it } from 'vitest'
import { moralOf } from '../../../src/check/remedies.ts'
import { story } from './story.ts'

const cutOff = {
  type: 'fault-struck',
  fault: 'partition',
  index: 0,
  process: 'b',
  sentence: 'b and redis are cut off from each other, for 3 s',
} as const
const restart = {
  type: 'fault-struck',
  fault: 'redis-restart',
  index: 0,
  node: 'redis',
  boundary: 'command-executed',
  sentence: 'redis dies with all its data (b: after its GET executed, before the reply comes back)',
} as const

/** `a` has performed. `b` meets its record, and performs after `then`. */
function performedAfter(then: (one: ReturnType<typeof story>) => void): string {
  const one = story()
  one.history.publish('m1').deliver(1, 'm1', 'a')
  one.command('a', 'SET k1 a NX', OK)
  one.history.send(1, 1).apply(1).deliver(2, 'm1', 'b', 2)
  then(one)
  one.history.send(2, 2).apply(2)
  return one.why('duplicate')
}

describe('an attempt that performed without an answer', () => {
  it('executed no command while it was cut off, which its cause reports', () => {
    const none = 'no command of the second attempt was executed before its effect'
    expect(performedAfter(({ history }) => history.add(cutOff))).toBe(`${none}, while b was cut off from Redis`)
    expect(performedAfter(() => {})).toBe(none)
    const { process: _, ...atTime } = cutOff
    expect(performedAfter(({ history }) => history.add(atTime))).toBe(`${none}, while b was cut off from Redis`)
    const ofOther = { ...cutOff, sentence: 'c and redis are cut off from each other, for 3 s' }
    for (const other of [
      { ...ofOther, process: 'c' },
      { ...atTime, sentence: ofOther.sentence },
    ])
      expect(performedAfter(({ history }) => history.add(other))).toBe(none)
    const toSink = 'b and sink are cut off from each other'
    expect(performedAfter(({ history }) => history.add({ ...cutOff, sentence: toSink }))).toBe(none)
  })

  it('was cut off after its last command, which its cause reports', () => {
    const refused = (isCut: boolean) =>
      performedAfter(({ history, command }) => {
        command('b', 'SET k1 b NX', null)
        if (isCut) history.add(cutOff)
      })
    expect(refused(false)).toBe('the last effect was sent after SET NX had answered nothing')
    expect(refused(true)).toBe(`${refused(false)}, while b was cut off from Redis`)
    expect(moralOf('duplicate', null, refused(true))).toMatch(/^Without an answer from the store/)
    expect(moralOf('duplicate', null, refused(false))).not.toMatch(/^Without an answer/)
  })

  it('is not blamed for a reply that it did not receive', () => {
    const asked = (isLost: boolean) =>
      performedAfter(({ history, command }) => {
        command('b', 'GET k1', 'a')
        if (isLost) history.add(restart)
      })
    expect(asked(false)).toBe('the last effect was sent after GET had answered a')
    expect(asked(true)).toBe(
      'the last effect was sent after GET had been executed and its reply was lost, while Redis was down',
    )
  })
})
