/** A record whose name tells of no key, such as a hash of it: that it was lost is read off what was executed. */
import { expect, it } from 'vitest'
import { insteadOf } from '../../../src/contract/remedy-page.ts'
import { remedyOf } from '../../../src/report/remedies.ts'
import { OK } from '../../../src/sim/lua/reply.ts'
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

it('what Redis lost is the cause where it stood and the next attempt found it free', () => {
  const again = '; so the next attempt performed again'
  expect(lost()).toBe(`Redis evicted what had been written for the key for want of memory${again}`)
  expect(lost({ turnedAway: true })).toBe(lost())
  expect(lost({ cause: 'flush' })).toBe(`Redis was emptied, and what had been written for the key with it${again}`)
})

it('it is not where something else was lost, was over by then, or another delivery may have asked', () => {
  for (const other of [
    { name: 'other' },
    { first: 'SET other a NX' },
    { first: 'SET cb91 a PX 20 NX' },
    { alsoOpen: true },
  ])
    expect(lost(other)).not.toContain('evicted')
})

it('the remedy is that of the loss, or of the expiry, whatever the kind is called', () => {
  const causes: Cause[] = ['eviction', 'flush', 'restart', 'failover']
  for (const cause of causes)
    expect(remedyOf('duplicate', null, lost({ cause }))).toBe(remedyOf(`repeat-after-loss:${cause}`))
  expect(insteadOf('duplicate', lost())).toBe(insteadOf('repeat-after-loss'))
  const expired = 'the record expired after 24 h, while deliveries of the message still came'
  expect(remedyOf('duplicate', null, expired)).toMatch(/^A record should live/)
  const beside = (what: string) =>
    `the ${what} expired after 1 s, while the first attempt was still at work, and the next`
  expect(insteadOf('zombie', beside('record'))).toBe(insteadOf('repeat-after-loss'))
  expect(insteadOf('zombie', beside('claim'))).toBe(insteadOf('zombie'))
})
