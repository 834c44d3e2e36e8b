/** A record exists beside the claim, but the second attempt read it too early, or not at all. */

import { OK } from 'redis-sim/resp'
import { expect, it } from 'vitest'
import { story } from './story.ts'

/**
 * The first attempt reads, locks, performs, records and unlocks. `second`: what the other attempt
 * does, and when it reads.
 */
function unlocked(second: { looks?: 'first' | 'after the lock'; alsoAgain?: 'GET' | 'EVALSHA' }, records = true) {
  const { history, command, why } = story()
  history.publish('m1').deliver(1, 'm1', 'b').deliver(2, 'm1', 'a', 2)
  if (second.looks === 'first') command('b', 'GET receipt:k1', null)
  history.pause('b')
  command('a', 'GET receipt:k1', null)
  command('a', 'SET mutex:k1 1 PX 600000 NX', OK)
  history.send(1, 2).apply(1).notifyCaller(1, 'receipt')
  if (records) command('a', 'SET receipt:k1 done', OK)
  command('a', 'DEL mutex:k1', 1)
  history.done(2).resume('b')
  command('b', 'SET mutex:k1 1 PX 600000 NX', OK)
  if (second.looks === 'after the lock') command('b', 'GET receipt:k1', 'done')
  if (second.alsoAgain === 'GET') command('b', 'GET receipt:k1', 'done')
  if (second.alsoAgain === 'EVALSHA') command('b', 'EVALSHA renew 1 mutex:k1', 'renewed')
  history.send(2, 1).apply(2)
  return why('zombie')
}

const early =
  'the second attempt looked (GET) before the first had written its record there, and did not look again once its claim (SET NX) was granted'

it('a read before the record was written, with none after the claim was granted, is the cause', () => {
  expect(unlocked({ looks: 'first' })).toBe(early)
})

it('a missing second read is not the cause if there was one, or a script may have read', () => {
  expect(unlocked({ looks: 'first', alsoAgain: 'GET' })).not.toContain('did not look again')
  expect(unlocked({ looks: 'first', alsoAgain: 'EVALSHA' })).not.toContain('did not look again')
  expect(unlocked({ looks: 'after the lock' })).not.toContain('did not look again')
})

it('a deleted claim leaves nothing behind only if no other key of the first attempt may exist', () => {
  const freed = 'the first attempt deleted its record when it was done, and '
  expect(unlocked({})).toBe(`${freed}the next attempt found it free`)
  expect(unlocked({}, false)).toBe(`${freed}no record of the effect was left for the next attempt`)
})

it('an expired claim has no record beside it only if none may exist', () => {
  const expired = (beside?: string) => {
    const { history, command, why } = story()
    history.publish('m1').publish('m2', { key: 'k2' }).deliver(1, 'm1', 'a')
    command('a', 'SET mutex:k1 1 PX 1000 NX', OK)
    history.send(1, 1).apply(1)
    if (beside !== undefined) command('a', beside, OK)
    history.done(1).at(1_000).loseData('expiry', ['mutex:k1']).deliver(2, 'm1', 'b', 2)
    command('b', 'SET mutex:k1 1 PX 1000 NX', OK)
    history.send(2, 2).apply(2)
    return why('repeat-after-loss:expiry')
  }
  const reported = 'the claim expired after 1 s, while deliveries of the message still came'
  expect(expired('SET receipt:k1 done')).toBe(reported)
  expect(expired('ZADD seen 1 k1')).toBe(reported)
  expect(expired('SET receipt:k2 done')).toBe(`${reported}, and no record of the effect was there`)
  expect(expired()).toBe(`${reported}, and no record of the effect was there`)
})
