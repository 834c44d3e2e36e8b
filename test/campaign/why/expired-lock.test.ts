/** A lock expired while the record still existed: the expiry did not cause the repeat. */

import { OK, type Reply } from 'redis-sim/resp'
import { expect, it } from 'vitest'
import { story } from './story.ts'

/**
 * The first attempt locks, performs and records. Its lock expires while `b` has two deliveries, one
 * of which performs.
 */
function expired(record: string | null, when: 'after it was done' | 'while it is at work' = 'after it was done') {
  const { history, command, why } = story()
  history.publish('m1').publish('m2', { key: 'k2' })
  history.deliver(1, 'm1', 'a')
  command('a', 'SET lck:k1 1 PX 1000 NX', OK)
  history.send(1, 1).apply(1).notifyCaller(1, 'receipt')
  if (record !== null) command('a', record, OK)
  if (when === 'after it was done') history.done(1)
  history.at(1_000).loseData('expiry', ['lck:k1']).deliver(2, 'm1', 'b', 2).deliver(3, 'm1', 'b', 3)
  command('b', 'SET lck:k1 1 PX 1000 NX', OK)
  command('b', 'GET rec:k1', 'done')
  history.send(2, 2).apply(2)
  const kind = when === 'after it was done' ? 'repeat-after-loss:expiry' : 'zombie'
  return why(kind, 'effect-applied', 'data-lost')
}

it('an expired record is the cause only if no other key of the message may have existed', () => {
  const reported =
    'the data of the key expired after the first attempt was done, while deliveries of the message still came'
  expect(expired('SET rec:k1 done')).not.toContain('expired')
  expect(expired('EVALSHA complete 1 rec:k1')).not.toContain('expired')
  expect(expired('SET rec:k2 done')).toBe(reported)
  expect(expired(null)).toBe(reported)
})

it('an expired claim of a working attempt is the cause only if no other key may have existed', () => {
  const reported = 'the data of the key expired while an attempt was at work, and two attempts performed'
  expect(expired('SET rec:k1 done', 'while it is at work')).not.toContain('expired')
  expect(expired(null, 'while it is at work')).toBe(reported)
})

it('an expired record is not called a claim if a script or a transaction wrote it', () => {
  const reported = (records: string, reply: Reply) => {
    const { history, command, why } = story({ retentionMs: 86_400_000 })
    history.publish('m1').deliver(1, 'm1', 'a')
    command('a', 'SET k1 taken PX 1000 NX', OK)
    history.send(1, 1).apply(1).notifyCaller(1, 'receipt')
    command('a', records, reply)
    history.done(1).at(90_000).loseData('expiry', ['k1']).deliver(2, 'm1', 'b', 2)
    command('b', 'SET k1 taken PX 1000 NX', OK)
    history.send(2, 2).apply(2)
    return why('repeat-after-loss:expiry', 'effect-applied', 'data-lost')
  }
  expect(reported('EVALSHA release 1 k1', 1)).toBe(
    'the data of the key expired after the first attempt was done, while deliveries of the message still came',
  )
  expect(reported('SET k1 done PX 90000', OK)).toBe(
    'the record expired after 90 s, while deliveries of the message still came',
  )
})

it('an expired result is the cause if the second attempt itself took the lock beside it', () => {
  const { history, command, why } = story()
  const attempt = (process: string) => {
    command(process, 'GET result:k1', null)
    command(process, 'SET lock:k1 1 PX 1000 NX', OK)
  }
  history.publish('m1').deliver(1, 'm1', 'a')
  attempt('a')
  history.send(1, 1).apply(1).notifyCaller(1, 'receipt')
  command('a', 'SET result:k1 done PX 90000', OK)
  command('a', 'DEL lock:k1', 1)
  history.done(1).at(90_000).loseData('expiry', ['result:k1']).deliver(2, 'm1', 'b', 2)
  attempt('b')
  history.send(2, 2).apply(2)
  expect(why('repeat-after-loss:expiry', 'effect-applied', 'data-lost')).toContain('expired after')
})

it('no expiry is the cause if the record still exists and a script took the expired lock', () => {
  const { history, command, why } = story()
  history.publish('m1').deliver(1, 'm1', 'a')
  command('a', 'EVALSHA acquire 1 lock:k1', 1)
  history.send(1, 1).apply(1).notifyCaller(1, 'receipt')
  command('a', 'SET rec:k1 done PX 86400000', OK)
  history.done(1).at(90_000).loseData('expiry', ['lock:k1']).deliver(2, 'm1', 'b', 2)
  command('b', 'EVALSHA acquire 1 lock:k1', 1)
  history.send(2, 2).apply(2)
  expect(why('duplicate', 'effect-applied', 'data-lost')).not.toContain('the data of the key expired')
})
