import { OK } from 'redis-sim/resp'
import { describe, expect, it } from 'vitest'
import type { RunHeader } from '../../../src/contract/api/history.ts'
import { story } from './story.ts'

const lostReply = { type: 'reply-lost', process: 'a', command: 'SET' } as const

describe('the cause of an answer, a loss or a stall', () => {
  it('is an own claim mistaken for another one after its reply was lost', () => {
    const answered = (isLost: boolean) => {
      const { history, command, why } = story()
      history.publish('m1').deliver(1, 'm1', 'a')
      command('a', 'SET k1 taken NX', OK)
      if (isLost) history.add(lostReply)
      command('a', 'SET k1 taken NX', null)
      history.done(1, null).rest()
      return why('done-without-effect', 'answered')
    }
    expect(answered(true)).toBe(
      "the reply to SET NX was lost, its command was sent again, and the layer mistook its own claim for another attempt's",
    )
    expect(answered(false)).toBe('the attempt answered done after SET NX had answered nothing')
  })

  it('is a claim mistaken for the effect although its attempt died', () => {
    const { history, command, why } = story()
    history.publish('m1').deliver(1, 'm1', 'a')
    command('a', 'SET k1 taken NX', OK)
    history.crash('a').deliver(2, 'm1', 'b', 2)
    command('b', 'SET k1 taken NX', null)
    history.done(2, null).rest()
    expect(why('done-without-effect', 'answered')).toBe(
      'a claim was mistaken for an effect: the attempt that had written it died without one, and the next one answered done (SET NX answered nothing)',
    )
  })

  it('is a duplicate that was answered before, during or after the first effect', () => {
    const reported = (when: 'before' | 'during' | 'after') => {
      const { history, command, why } = story()
      history.publish('m1').deliver(1, 'm1', 'a')
      command('a', 'SET k1 taken NX', OK)
      if (when !== 'before') history.send(1, 1).apply(1)
      if (when === 'after') history.done(1)
      history.deliver(2, 'm1', 'b', 2)
      command('b', 'SET k1 taken NX', null)
      history.done(2, null)
      if (when === 'before') history.send(1, 1).apply(1)
      return why('different-result', 'answered')
    }
    const because = '(SET NX answered nothing)'
    expect(reported('before')).toBe(
      `a duplicate was answered done with nothing before the effect had happened ${because}`,
    )
    expect(reported('during')).toBe(
      `a duplicate was answered done with nothing while another attempt was still at work ${because}`,
    )
    expect(reported('after')).toBe(`a duplicate was answered done with nothing instead of the first result ${because}`)
  })

  it('is an ignored payload if another payload gets the answer of the first', () => {
    const { history, command, why } = story()
    history.publish('m1').publish('m2', { fingerprint: 'pay 2' }).deliver(1, 'm1', 'a').send(1, 1).apply(1).done(1)
    history.deliver(2, 'm2', 'b')
    command('b', 'GET k1', 'COMPLETED')
    history.done(2)
    expect(why('answered-as-if-the-same', 'answered')).toBe(
      'the key alone decided: a message with another payload got the answer of the first one (GET answered COMPLETED)',
    )
  })

  it('is a claim that a dead attempt left, but not the claim of a working holder', () => {
    const stalled = (dies: boolean) => {
      const { history, command, why } = story()
      history.publish('m1').deliver(1, 'm1', 'a')
      command('a', 'SET k1 taken EX 300 NX', OK)
      if (dies) history.crash('a')
      history.deliver(2, 'm1', 'b', 2)
      command('b', 'SET k1 taken EX 300 NX', null)
      history.answer(2, { status: 'retry' }).rest()
      return why('retry-goes-on', 'delivered', 'answered')
    }
    expect(stalled(true)).toBe(
      'an attempt died and left its claim behind, with a TTL of 5 min: it turned later ones away',
    )
    expect(stalled(false)).toBe('the last attempt answered retry, after SET NX had answered nothing')
  })

  it('is a recorded effect from which later attempts do not answer', () => {
    const stalled = (isRecorded: boolean) => {
      const { history, command, why } = story()
      history.publish('m1').deliver(1, 'm1', 'a')
      if (!isRecorded) command('a', 'SET k1 begun', OK)
      history.send(1, 1).apply(1).notifyCaller(1, 'receipt')
      if (isRecorded) command('a', 'SET k1 COMPLETED', OK)
      history.answer(1, { status: 'retry' }).deliver(2, 'm1', 'b', 2)
      command('b', 'GET k1', 'COMPLETED')
      history.answer(2, { status: 'retry' }).rest()
      return why('retry-goes-on', 'delivered', 'answered')
    }
    expect(stalled(true)).toBe(
      'an attempt answered retry after its effect, and what it had recorded (SET) turned later ones away',
    )
    expect(stalled(false)).toBe('an attempt answered retry and left its claim behind: it turned later ones away')
  })

  it('is a claim that outlived its time to live because the clock of Redis went back', () => {
    const stalled = (
      byMs: number,
      { machine = -1, heals = byMs > 0, kind = 'clock-step', stood = 400, isLater = false } = {},
    ) => {
      const plan = { faults: [{ kind, machine, byMs, when: { at: 'time', ms: 0 } }] } as unknown as RunHeader['plan']
      const { history, command, why } = story({ plan })
      history.publish('m1')
      if (byMs > 0 && !isLater) history.strike(kind)
      history.deliver(1, 'm1', 'a')
      command('a', 'SET k1 taken EX 300 NX', OK)
      history.crash('a')
      if (byMs < 0 || isLater) history.strike(kind)
      if (heals) history.heal(kind)
      history.at(stood * 1000).deliver(2, 'm1', 'b', 2)
      command('b', 'SET k1 taken EX 300 NX', null)
      history.answer(2, { status: 'retry' }).rest()
      return why('retry-goes-on', 'delivered', 'answered')
    }
    const meant = 'an attempt died and left its claim behind, with a TTL of 5 min'
    const outlived = `${meant} and was there after 400 s`
    const putBack = `${outlived}, since the clock of Redis had been put back: it turned later ones away`
    expect(stalled(3_600_000)).toBe(putBack)
    expect(stalled(-3_600_000)).toBe(putBack)
    const unexplained = `${outlived}: it turned later ones away`
    expect(stalled(3_600_000, { heals: false })).toBe(unexplained)
    expect(stalled(-3_600_000, { heals: true })).toBe(unexplained)
    expect(stalled(60_000)).toBe(unexplained)
    expect(stalled(3_600_000, { isLater: true })).toBe(unexplained)
    expect(stalled(3_600_000, { machine: 0 })).toBe(unexplained)
    expect(stalled(3_600_000, { kind: 'slow-redis' })).toBe(unexplained)
    expect(stalled(3_600_000, { stood: 300 })).toBe(`${meant}: it turned later ones away`)
  })

  it('includes a jump back of the clock of Redis while the message waited on a script', () => {
    const stalled = (byMs: number, machine = -1) => {
      const plan = { faults: [{ kind: 'clock-step', machine, byMs, when: { at: 'time', ms: 0 } }] } as unknown
      const { history, command, why } = story({ plan: plan as RunHeader['plan'] })
      history.publish('m1').strike('clock-step').deliver(1, 'm1', 'a')
      command('a', 'EVALSHA begin 1 k1', 1)
      history.crash('a').heal('clock-step').at(400_000).deliver(2, 'm1', 'b', 2)
      command('b', 'EVALSHA acquire 1 k1', 'held')
      history.answer(2, { status: 'retry' }).rest()
      return why('retry-goes-on', 'delivered', 'answered')
    }
    const held = 'the last attempt answered retry, after the script acquire had answered held'
    expect(stalled(1_000_000)).toBe(`${held}; the clock of Redis had jumped back by 1000 s meanwhile`)
    expect(stalled(59_000)).toBe(held)
    expect(stalled(1_000_000, 0)).toBe(held)
  })

  it('is a key that was written without a time to live', () => {
    const { history, command, why } = story()
    history.publish('m1').deliver(1, 'm1', 'a')
    command('a', 'SET lock:k1 taken NX', OK)
    history.done(1)
    history.add({ type: 'keys-counted', keys: 1, withoutExpiry: 1, namesWithoutExpiry: ['lock:k1'] })
    expect(why('named-after-a-message', 'keys-counted')).toBe(
      'SET NX wrote a key for the message without a TTL, and nothing set one or deleted it',
    )
    expect(story().why('named-after-a-message', 'keys-counted')).toBe('something happened')
  })

  it('is the reason of a dead letter in a run without faults', () => {
    const { history, command, why } = story({ faultFree: true })
    history.publish('m1').deliver(1, 'm1', 'a')
    command('a', 'GET k1', 'taken')
    history.answer(1, { status: 'dead-letter', reason: 'in-doubt' }).settle('m1', 'dead-lettered', 'in-doubt')
    expect(why('fault-free-not-done', 'answered', 'settled')).toBe('something happened')
  })

  it('is the last answer of a message that was given up without faults', () => {
    const { history, command, why } = story({ faultFree: true })
    history.publish('m1').deliver(1, 'm1', 'a')
    command('a', 'GET k1', 'taken')
    history.answer(1, { status: 'retry', reason: 'taken' }).settle('m1', 'given-up')
    expect(why('fault-free-not-done', 'answered', 'settled')).toBe(
      'the last attempt answered retry, after GET had answered taken',
    )
  })
})
