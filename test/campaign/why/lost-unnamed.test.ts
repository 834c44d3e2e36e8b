/**
 * The name of the record does not contain the key (for example a hash of it). Its loss is derived
 * from the executed commands.
 */

import { OK } from 'redis-sim/resp'
import { expect, it } from 'vitest'
import { moralOf } from '../../../src/check/remedies.ts'
import { insteadOf } from '../../../src/contract/results/remedy-page.ts'
import { story } from './story.ts'

type Cause = 'eviction' | 'flush' | 'restart' | 'failover'

function lost({
  cause = 'eviction' as Cause,
  first = 'SET cb91 a NX',
  name = 'cb91',
  alsoOpen = false,
  turnedAway = false,
  afterMs = 50,
} = {}) {
  const { history, command, why } = story()
  history.publish('m1').deliver(1, 'm1', 'a')
  command('a', first, OK)
  if (turnedAway) history.deliver(4, 'm1', 'a', 4).answer(4, { status: 'retry' })
  command('a', 'SET cb91 done KEEPTTL XX', turnedAway ? OK : null)
  history.send(1, 1).apply(1).done(1).loseData(cause, [name])
  if (alsoOpen) history.deliver(3, 'm1', 'b', 3)
  history.at(afterMs).deliver(2, 'm1', 'b', 2)
  command('b', 'SET cb91 b NX', OK)
  command('b', 'GET cb91', 'b')
  history.send(2, 2).apply(2)
  return why('duplicate')
}

it('a loss is the cause if the record existed and the next attempt found the key free', () => {
  const again = '; so the next attempt performed again'
  expect(lost()).toBe(`Redis evicted the data written for the key for lack of memory${again}`)
  expect(lost({ turnedAway: true })).toBe(lost())
  expect(lost({ cause: 'flush' })).toBe(`Redis was emptied, and the data written for the key with it${again}`)
})

it('a loss is not the cause if it was of another key, after its end, or another delivery may have asked', () => {
  for (const other of [
    { name: 'other' },
    { first: 'SET other a NX' },
    { first: 'SET cb91 a PX 20 NX' },
    { alsoOpen: true },
  ])
    expect(lost(other)).not.toContain('evicted')
})

it('a loss is not the cause if a changed time to live may have ended the record', () => {
  expect(lost({ first: 'SET cb91 a PX 20 NX', turnedAway: true })).not.toContain('evicted')
  expect(lost({ first: 'SET cb91 a PX 60 NX', turnedAway: true })).toContain('evicted')
  expect(lost({ first: 'SET cb91 a EXAT 1 NX' })).not.toContain('evicted')
})

it('a loss is not the cause if the value may contain a time that was over, without an expiry in Redis', () => {
  const reported = (first: string, afterMs: number) => lost({ first, afterMs }).includes('evicted')
  expect(reported('SET cb91 5000 NX', 101)).toBe(false)
  expect(reported('SET cb91 5000 NX', 100)).toBe(true)
  expect(reported('SET cb91 5000 PX 9000 NX', 101)).toBe(true)
  expect(reported('SET cb91 begun NX', 101)).toBe(true)
})

/** A hash of claims, and other commands before and after the claim of the first attempt. */
function lostClaim({ ahead = '', claim = 'HSETNX locks k1 begun', after = '', afterMs = 50, ofSeveral = false } = {}) {
  const { history, command, why } = story()
  if (ahead !== '') command('c', ahead, 1)
  history.publish('m1').deliver(1, 'm1', 'a')
  if (ofSeveral) history.deliver(3, 'm1', 'a', 2)
  command('a', claim, 1)
  history.send(1, 1, { unknownDelivery: ofSeveral }).apply(1)
  if (after !== '') command('a', after, 0)
  history.crash('a').at(afterMs).loseData('flush', ['locks']).deliver(2, 'm1', 'b', 2)
  command('b', claim, 1)
  history.send(2, 2).apply(2)
  return why('repeat-after-crash')
}

it('a lost claim in a hash is the cause, unless it may be over or given up', () => {
  const reason = 'Redis was emptied, and the data written for the key with it; so the next attempt performed again'
  expect(lostClaim()).toBe(reason)
  expect(lostClaim({ ahead: 'EXPIRE locks 100' })).toBe(reason)
  expect(lostClaim({ claim: 'HSETNX locks k1 5000' })).toBe(reason)
  for (const other of [
    { ahead: 'EXPIREAT locks 1' },
    { claim: 'HSETNX locks k1 5000', afterMs: 60_000 },
    { after: 'SET state:k1 failed' },
    { ofSeveral: true },
  ])
    expect(lostClaim(other)).not.toContain('performed again')
  expect(lostClaim({ claim: 'HSETNX locks k1 5000', afterMs: 60_000 })).toContain('HSETNX of the next attempt then')
})

it('the remedy is that of the loss or the expiry, whatever the kind', () => {
  const causes: Cause[] = ['eviction', 'flush', 'restart', 'failover']
  for (const cause of causes)
    expect(moralOf('duplicate', null, lost({ cause }))).toBe(moralOf(`repeat-after-loss:${cause}`))
  expect(insteadOf('duplicate', lost())).toBe(insteadOf('repeat-after-loss'))
  const expired = 'the record expired after 24 h, while deliveries of the message still came'
  expect(moralOf('duplicate', null, expired)).toMatch(/^A record should live/)
  const written = 'the data of the key expired'
  const afterDone = `${written} after the first attempt was done, while deliveries of the message still came`
  expect(insteadOf('duplicate', afterDone)).toBe(insteadOf('repeat-after-loss'))
  expect(moralOf('duplicate', null, afterDone)).toMatch(/^A record should live/)
  const atWork = `${written} while an attempt was at work, and two attempts performed`
  expect(insteadOf('duplicate', atWork)).toBe(insteadOf('duplicate'))
  const beside = (what: string) =>
    `the ${what} expired after 1 s, while the first attempt was still at work, and the next`
  expect(insteadOf('zombie', beside('record'))).toBe(insteadOf('repeat-after-loss'))
  expect(insteadOf('zombie', beside('claim'))).toBe(insteadOf('zombie'))
})
