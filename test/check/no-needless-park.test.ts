import { describe, expect, test } from 'vitest'
import { judge } from '../../src/check/index.ts'
import { noNeedlessPark } from '../../src/check/no-needless-park.ts'
import type { RunHeader } from '../../src/contract/api/history.ts'
import type { SinkKind } from '../../src/contract/api/sink.ts'
import { aRun, type HistoryBuilder } from './history-builder.ts'
import { kinds } from './kinds.ts'

const kindsOf = (history: HistoryBuilder) => kinds(noNeedlessPark.judge(history))
const delivered = () => aRun().publish('m1').deliver(1, 'm1', 'consumer-1')
const deadLetter = (history: HistoryBuilder) =>
  history.answer(1, { status: 'dead-letter', reason: 'in-doubt' }).settle('m1', 'dead-lettered', 'in-doubt')

describe('no-needless-park', () => {
  test('dead-lettered-for-nothing: no request was sent, and nothing happened', () => {
    expect(kindsOf(deadLetter(delivered().at(2)).rest())).toEqual(['dead-lettered-for-nothing'])
    expect(kindsOf(deadLetter(delivered().at(2)).breakOff())).toEqual(['dead-lettered-for-nothing'])
  })

  test('a request for another key, or a later one, is not a cause', () => {
    const other = delivered().publish('m2', { key: 'k2' }).deliver(2, 'm2', 'consumer-1').send(1, 2).at(2)
    expect(kindsOf(deadLetter(other).rest())).toEqual(['dead-lettered-for-nothing'])
    const later = deadLetter(delivered()).deliver(2, 'm1', 'consumer-2', 2).send(1, 2)
    expect(kindsOf(later.rest())).toEqual(['dead-lettered-for-nothing'])
  })

  test('an earlier request for the key is a cause', () => {
    const history = delivered().send(1, 1).at(50).deliver(2, 'm1', 'consumer-2', 2)
    expect(kindsOf(deadLetter(history).rest())).toBe('valid')
  })

  test('a pause does not excuse a dead-lettered copy if the process learned of its effect afterwards', () => {
    const parked = (history: HistoryBuilder) =>
      kindsOf(
        history
          .answer(1, { status: 'done', result: null })
          .at(9000)
          .publish('m2', { key: 'm1-key' })
          .deliver(2, 'm2', 'consumer-2')
          .answer(2, { status: 'dead-letter', reason: 'in-doubt' })
          .settle('m2', 'dead-lettered', 'in-doubt')
          .rest(),
      )
    const asked = () => aRun().publish('m1', { key: 'm1-key' }).deliver(1, 'm1', 'consumer-1').send(1, 1).apply(1)
    const paused = (history: HistoryBuilder) => history.pause('consumer-1').at(3000).resume('consumer-1')
    expect(parked(paused(asked()).notifyCaller(1, 'receipt'))).toEqual(['dead-lettered-for-nothing'])
    expect(parked(paused(asked().notifyCaller(1, 'receipt')))).toBe('valid')
    expect(parked(paused(asked()).notifyCaller(1, 'error'))).toBe('valid')
  })

  test('a statement without a commit is a cause only while its delivery may still be handled', () => {
    const asked = (sink: SinkKind = 'transactional') =>
      aRun({ sink }).publish('m1').deliver(1, 'm1', 'consumer-1').send(1, 1)
    const deadLetteredNext = (history: HistoryBuilder) =>
      kindsOf(history.at(50).deliver(2, 'm1', 'consumer-2', 2).settle('m1', 'dead-lettered', 'in-doubt').rest())
    expect(deadLetteredNext(asked().throw(1))).toEqual(['dead-lettered-for-nothing'])
    expect(deadLetteredNext(asked().answer(1, { status: 'retry' }))).toEqual(['dead-lettered-for-nothing'])
    expect(deadLetteredNext(asked('plain').throw(1))).toBe('valid')
    expect(deadLetteredNext(asked())).toBe('valid')
    expect(deadLetteredNext(asked().apply(1).throw(1))).toBe('valid')
    expect(kindsOf(deadLetter(asked().at(50)).rest())).toBe('valid')
  })

  test('a server that dies during a statement leaves its caller in doubt', () => {
    const died = (fault: string) =>
      aRun({ sink: 'transactional' }).publish('m1').deliver(1, 'm1', 'consumer-1').send(1, 1).strike(fault).throw(1)
    const deadLetteredNext = (history: HistoryBuilder) =>
      kindsOf(history.at(50).deliver(2, 'm1', 'consumer-2', 2).settle('m1', 'dead-lettered', 'in-doubt').rest())
    expect(deadLetteredNext(died('postgres-restart'))).toBe('valid')
    expect(deadLetteredNext(died('duplicate-delivery'))).toEqual(['dead-lettered-for-nothing'])
  })

  test('a wrong produced-at time is a cause for its own key only', () => {
    const producedOff = (key: string) =>
      aRun()
        .publish('m0', { key, producedAtOffMs: 5 })
        .deliver(9, 'm0', 'consumer-2')
        .publish('m1')
        .deliver(1, 'm1', 'consumer-1')
        .at(2)
    expect(kindsOf(deadLetter(producedOff('k1')).rest())).toBe('valid')
    expect(kindsOf(deadLetter(producedOff('k2')).rest())).toEqual(['dead-lettered-for-nothing'])
    expect(kindsOf(deadLetter(aRun().publish('m1', { producedAtOffMs: 5 }).deliver(1, 'm1', 'a').at(2)).rest())).toBe(
      'valid',
    )
  })

  test('another produced-at time or payload is a cause once a consumer has received it', () => {
    for (const other of [{ producedAtOffMs: -400 }, { fingerprint: 'pay 2' }]) {
      const first = () => aRun().publish('m1').publish('m2', other).deliver(1, 'm1', 'consumer-1').at(2)
      expect(kindsOf(deadLetter(first()).rest())).toEqual(['dead-lettered-for-nothing'])
      expect(kindsOf(deadLetter(first().deliver(2, 'm2', 'consumer-2')).rest())).toBe('valid')
      expect(kindsOf(deadLetter(first()).deliver(2, 'm2', 'consumer-2').rest())).toEqual(['dead-lettered-for-nothing'])
    }
  })

  test('a key with two produced-at times may be dead-lettered or done, with one effect', () => {
    const producedAgain = () => aRun().publish('m1').publish('m2', { producedAtOffMs: -400 })
    const first = () => producedAgain().deliver(1, 'm1', 'consumer-1').send(1, 1).apply(1).done(1).settle('m1', 'done')
    const second = () => first().at(20).deliver(2, 'm2', 'consumer-2')
    expect(kindsOf(second().settle('m2', 'dead-lettered', 'conflict').rest())).toBe('valid')
    const reported = (history: HistoryBuilder) =>
      judge(history, ['at-most-once', 'no-needless-park', 'payload-bound', 'same-result']).map(({ verdict }) =>
        kinds(verdict),
      )
    expect(reported(second().done(2).settle('m2', 'done').rest())).toEqual(['valid', 'valid', 'valid', 'valid'])
    const twice = second().send(2, 2).apply(2).done(2).settle('m2', 'done').rest()
    expect(reported(twice)[0]).toEqual(['duplicate'])
  })

  test('a crash before the key was accepted is not a cause, but a later request of the relay is', () => {
    const crashed = () => aRun().publish('m1').deliver(1, 'm1', 'consumer-1').crash('consumer-1')
    const second = (history: HistoryBuilder) => history.at(20).deliver(2, 'm1', 'consumer-2', 2)
    const accepted = () => second(crashed()).answer(2, { status: 'accepted' })
    const deadLettered = (history: HistoryBuilder) =>
      kindsOf(history.at(30).deliver(3, 'm1', 'consumer-3', 3).settle('m1', 'dead-lettered', 'in-doubt').rest())
    expect(deadLettered(second(crashed()))).toBe('valid')
    expect(deadLettered(accepted())).toEqual(['dead-lettered-for-nothing'])
    expect(deadLettered(accepted().send(1, 2, { unknownDelivery: true }))).toBe('valid')
  })

  test('lost records are a cause', () => {
    expect(kindsOf(deadLetter(delivered().loseData('restart')).rest())).toBe('valid')
  })

  test('a delivery handled for longer than a lease is a cause, but not one of exactly a lease', () => {
    expect(kindsOf(deadLetter(delivered().at(101)).rest())).toBe('valid')
    expect(kindsOf(deadLetter(delivered().at(100)).rest())).toEqual(['dead-lettered-for-nothing'])
  })

  test('a wrong clock before is a cause, but not another fault or a later one', () => {
    expect(kindsOf(deadLetter(delivered().strike('clock-step')).rest())).toBe('valid')
    expect(kindsOf(deadLetter(delivered().strike('slow-link')).rest())).toEqual(['dead-lettered-for-nothing'])
    expect(kindsOf(deadLetter(delivered()).strike('clock-step').rest())).toEqual(['dead-lettered-for-nothing'])
  })

  test('an expired record is a cause for its own key, and for others only if its name has no key', () => {
    const expired = (name: string) =>
      deadLetter(delivered().publish('m2', { key: 'k2' }).loseData('expiry', [name])).rest()
    expect(kindsOf(expired('once:{b0}:k1'))).toBe('valid')
    expect(kindsOf(expired('lock:m1'))).toBe('valid')
    expect(kindsOf(expired('lock:k2'))).toEqual(['dead-lettered-for-nothing'])
    expect(kindsOf(expired('5f1d7a'))).toBe('valid')
    expect(kindsOf(deadLetter(delivered().loseData('eviction', ['lock:k2'])).rest())).toBe('valid')
  })

  test('an expired record excuses every key that its name may contain, and no other', () => {
    const expired = (name: string, since: 'before' | 'later' = 'before') => {
      const history = aRun().publish('m1', { key: 'order:1' }).deliver(1, 'm1', 'consumer-1')
      if (since === 'before') history.publish('m2', { key: 'order:1:lock' })
      history.loseData('expiry', [name])
      if (since === 'later') history.publish('m2', { key: 'order:1:lock' })
      return kindsOf(deadLetter(history).rest())
    }
    expect(expired('seen:order:1')).toBe('valid')
    expect(expired('seen:order:1:state')).toBe('valid')
    // Either a lock of the one key, or the record of the other: ambiguous.
    expect(expired('seen:order:1:lock')).toBe('valid')
    expect(expired('seen:order:10')).toBe('valid')
    const another = aRun()
      .publish('m1', { key: 'order:1' })
      .publish('m2', { key: 'order:2' })
      .deliver(1, 'm1', 'consumer-1')
    expect(kindsOf(deadLetter(another.loseData('expiry', ['seen:order:2'])).rest())).toEqual([
      'dead-lettered-for-nothing',
    ])
    // The other key did not exist yet.
    expect(expired('seen:order:1:lock', 'later')).toBe('valid')
  })

  test('a wrong clock of a consumer affects the keys that it handled meanwhile', () => {
    const history = () => aRun().publish('m1').strike('clock-step', 'jumps', 'consumer-1')
    const handledBy = (process: string) => deadLetter(history().deliver(1, 'm1', process).at(2)).rest()
    expect(kindsOf(handledBy('consumer-1'))).toBe('valid')
    expect(kindsOf(handledBy('consumer-1.2'))).toBe('valid')
    expect(kindsOf(handledBy('consumer-2'))).toEqual(['dead-lettered-for-nothing'])
    const healed = (fault: string) =>
      deadLetter(
        aRun()
          .publish('m1')
          .strike(fault, 'jumps', 'consumer-1')
          .at(5)
          .heal(fault)
          .at(6)
          .deliver(1, 'm1', 'consumer-1'),
      )
    expect(kindsOf(healed('clock-step').rest())).toEqual(['dead-lettered-for-nothing'])
    expect(kindsOf(healed('clock-drift').rest())).toBe('valid')
  })

  test('a wrong clock of Redis affects messages until it is corrected, and for as long afterwards as it was ahead', () => {
    const faults = [{ kind: 'clock-step', when: { at: 'time', ms: 0 }, machine: -1, byMs: 50 }]
    const published = (ms: number) =>
      deadLetter(
        aRun({ plan: { faults } })
          .strike('clock-step')
          .at(10)
          .heal('clock-step')
          .at(ms)
          .publish('m1')
          .deliver(1, 'm1', 'consumer-1'),
      ).rest()
    expect(kindsOf(published(60))).toBe('valid')
    expect(kindsOf(published(61))).toEqual(['dead-lettered-for-nothing'])
  })

  test('a copy of a done key that is dead-lettered without a cause is a violation, but not one during the first delivery', () => {
    const done = () => delivered().strike('crash').send(1, 1).apply(1).notifyCaller(1, 'receipt')
    const copied = (history: HistoryBuilder) =>
      history.deliver(2, 'm1', 'consumer-2', 2).settle('m1', 'dead-lettered', 'in-doubt').rest()
    expect(kindsOf(copied(done().done(1)))).toEqual(['dead-lettered-for-nothing'])
    expect(kindsOf(copied(done()))).toBe('valid')
    expect(kindsOf(copied(done().done(1).loseData('restart')))).toBe('valid')
    const overlapping = done()
      .deliver(2, 'm1', 'consumer-2', 2)
      .done(1)
      .settle('m1', 'dead-lettered', 'in-doubt')
      .rest()
    expect(kindsOf(overlapping)).toBe('valid')
    const sentAgain = done()
      .done(1)
      .deliver(2, 'm1', 'consumer-2', 2)
      .send(2, 2)
      .settle('m1', 'dead-lettered', 'in-doubt')
    expect(kindsOf(sentAgain.rest())).toBe('valid')
  })

  test('trouble of an attempt is not a cause once another one has answered done afterwards', () => {
    const then = (history: HistoryBuilder, copyMs = 60) =>
      history
        .at(20)
        .deliver(2, 'm1', 'consumer-2', 2)
        .send(1, 2)
        .apply(1)
        .notifyCaller(1, 'receipt')
        .done(2)
        .at(copyMs)
        .deliver(3, 'm1', 'consumer-3', 3)
        .settle('m1', 'dead-lettered', 'in-doubt')
        .rest()
    const lost = { type: 'reply-lost', process: 'consumer-1', command: 'SET' } as const
    expect(kindsOf(then(delivered().crash('consumer-1')))).toEqual(['dead-lettered-for-nothing'])
    expect(kindsOf(then(delivered().add(lost).answer(1, { status: 'retry' })))).toEqual(['dead-lettered-for-nothing'])
    // The attempt that answered may have failed to record it, and one that continues may do
    // anything.
    expect(kindsOf(then(delivered(), 160))).toBe('valid')
    const itsOwn = delivered().send(1, 1).apply(1).add(lost).done(1).at(60).deliver(2, 'm1', 'consumer-2', 2)
    expect(kindsOf(itsOwn.settle('m1', 'dead-lettered', 'in-doubt').rest())).toBe('valid')
  })

  test('a lease overrun of the attempt that then answered done does not explain a later copy', () => {
    const overran = (late: boolean) => {
      const history = delivered().send(1, 1).apply(1).notifyCaller(1, 'receipt')
      if (late) history.at(150).done(1).at(200)
      history.deliver(2, 'm1', 'consumer-2', 2)
      return history.settle('m1', 'dead-lettered', 'in-doubt').rest()
    }
    expect(kindsOf(overran(true))).toEqual(['dead-lettered-for-nothing'])
    expect(kindsOf(overran(false))).toBe('valid')
  })

  test('a begin that timed out on a slow Redis and was executed late is a cause, but not slowness before or after', () => {
    const slow = (struckMs: number, retryMs: number) => {
      const events = [
        { ms: struckMs, add: (history: HistoryBuilder) => history.strike('slow-redis') },
        { ms: retryMs, add: (history: HistoryBuilder) => history.answer(1, { status: 'retry' }) },
      ].sort((a, b) => a.ms - b.ms)
      const history = events.reduce((all, { ms, add }) => add(all.at(ms)), delivered())
      history.at(40).heal('slow-redis').at(50).deliver(2, 'm1', 'consumer-2', 2)
      return history.settle('m1', 'dead-lettered', 'in-doubt').rest()
    }
    expect(kindsOf(slow(5, 20))).toBe('valid')
    expect(kindsOf(slow(10, 5))).toEqual(['dead-lettered-for-nothing'])
    const before = aRun()
      .strike('slow-redis')
      .at(5)
      .heal('slow-redis')
      .at(6)
      .publish('m1')
      .deliver(1, 'm1', 'consumer-1')
    expect(kindsOf(deadLetter(before).rest())).toEqual(['dead-lettered-for-nothing'])
    const link = (process: string) => deadLetter(delivered().strike('slow-link', 'slow', process)).rest()
    expect(kindsOf(link('consumer-1'))).toBe('valid')
    expect(kindsOf(link('consumer-2'))).toEqual(['dead-lettered-for-nothing'])
  })

  test('a store that refused commands during the delivery is a cause, but not an earlier refusal', () => {
    expect(kindsOf(deadLetter(delivered().strike('redis-out-of-memory')).rest())).toBe('valid')
    const before = aRun()
      .strike('redis-out-of-memory')
      .at(5)
      .heal('redis-out-of-memory')
      .at(6)
      .publish('m1')
      .deliver(1, 'm1', 'consumer-1')
    expect(kindsOf(deadLetter(before).rest())).toEqual(['dead-lettered-for-nothing'])
  })

  test('a begin executed after its client hung up is a cause for the next delivery of the client', () => {
    const orphaned = (forUs: number, process = 'consumer-1') =>
      delivered()
        .at(20)
        .answer(1, { status: 'retry' })
        .at(60)
        .add({ type: 'command-strayed', process, command: 'EVALSHA begin', how: 'given-up', forUs })
        .at(61)
        .deliver(2, 'm1', 'consumer-2', 2)
        .settle('m1', 'dead-lettered', 'in-doubt')
        .rest()
    expect(kindsOf(orphaned(45_000))).toBe('valid')
    expect(kindsOf(orphaned(30_000))).toEqual(['dead-lettered-for-nothing'])
    expect(kindsOf(orphaned(45_000, 'consumer-2'))).toEqual(['dead-lettered-for-nothing'])
  })

  test.each(['partition', 'error-reply'])('a %s aimed at a command is a cause only for its sender', (kind) => {
    const when = { at: 'command-unexecuted', consumer: 0, nth: 1, of: { pick: 1 } }
    const aimed = (process: string, handledBy: string) =>
      deadLetter(
        aRun({ plan: { faults: [{ kind, when, node: 'redis' }] } })
          .publish('m1')
          .deliver(1, 'm1', handledBy)
          .strike(kind, 'strikes', process),
      ).rest()
    expect(kindsOf(aimed('consumer-2', 'consumer-2'))).toBe('valid')
    expect(kindsOf(aimed('consumer-2', 'consumer-2.2'))).toBe('valid')
    expect(kindsOf(aimed('consumer-2', 'consumer-1'))).toEqual(['dead-lettered-for-nothing'])
  })

  test('a command that outlived its process is a cause if it was executed after the answer for the key', () => {
    const outlived = (executedMs: number, how: 'outlived' | 'torn' = 'outlived', process = 'consumer-1') => {
      const history = delivered().at(10).crash('consumer-1')
      const executes = (at: number) => {
        if (at !== executedMs) return
        const forUs = (executedMs - 10) * 1000
        history.at(at).add({ type: 'command-strayed', process, command: 'EVALSHA begin', how, forUs })
      }
      executes(15)
      history.at(20).deliver(2, 'm1', 'consumer-2', 2).send(1, 2).apply(1).notifyCaller(1, 'receipt').done(2)
      executes(40)
      history.at(60).deliver(3, 'm1', 'consumer-3', 3).settle('m1', 'dead-lettered', 'in-doubt')
      return history.rest()
    }
    expect(kindsOf(outlived(40))).toBe('valid')
    expect(kindsOf(outlived(15))).toEqual(['dead-lettered-for-nothing'])
    expect(kindsOf(outlived(40, 'torn'))).toEqual(['dead-lettered-for-nothing'])
    expect(kindsOf(outlived(40, 'outlived', 'consumer-2.2'))).toEqual(['dead-lettered-for-nothing'])
  })

  test('a command that its client gave up is a cause, even if the process ended before its execution', () => {
    const given = (hungUpMs: number) =>
      delivered()
        .at(20)
        .answer(1, { status: 'retry' })
        .at(30)
        .crash('consumer-1')
        .at(60)
        .add({
          type: 'command-strayed',
          process: 'consumer-1',
          command: 'EVALSHA begin',
          how: 'outlived',
          forUs: (60 - hungUpMs) * 1000,
        })
        .at(61)
        .deliver(2, 'm1', 'consumer-2', 2)
        .settle('m1', 'dead-lettered', 'in-doubt')
        .rest()
    expect(kindsOf(given(15))).toBe('valid')
    expect(kindsOf(given(30))).toEqual(['dead-lettered-for-nothing'])
  })

  test('a pause of the handling process is a cause, but not of another one', () => {
    expect(kindsOf(deadLetter(delivered().pause('consumer-1').resume('consumer-1')).rest())).toBe('valid')
    expect(kindsOf(deadLetter(delivered().pause('consumer-2').resume('consumer-2')).rest())).toEqual([
      'dead-lettered-for-nothing',
    ])
  })

  test('a message older than the retention is a cause', () => {
    const aged = (ms: number) => deadLetter(aRun().publish('m1').at(ms).deliver(1, 'm1', 'consumer-1')).rest()
    expect(kindsOf(aged(10_001))).toBe('valid')
    // The produced-at time has whole milliseconds.
    expect(kindsOf(aged(10_000))).toBe('valid')
    expect(kindsOf(aged(9999))).toEqual(['dead-lettered-for-nothing'])
  })

  test('a message that exceeds the retention while it is handled is a cause', () => {
    const delivered = (ms: number, deadLetteredMs: number) =>
      deadLetter(aRun().publish('m1').at(ms).deliver(1, 'm1', 'consumer-1').at(deadLetteredMs)).rest()
    expect(kindsOf(delivered(9990, 10_020))).toBe('valid')
    expect(kindsOf(delivered(9960, 9990))).toEqual(['dead-lettered-for-nothing'])
  })

  test('another payload of the key is a cause', () => {
    const another = delivered().publish('m2', { fingerprint: 'pay 2' }).deliver(2, 'm2', 'consumer-2')
    expect(kindsOf(deadLetter(another).rest())).toBe('valid')
  })

  test('a process that crashed while it handled the key is a cause, but not after it', () => {
    const redelivered = (history: HistoryBuilder) =>
      history.at(20).deliver(2, 'm1', 'consumer-2', 2).settle('m1', 'dead-lettered', 'in-doubt').rest()
    expect(kindsOf(redelivered(delivered().crash('consumer-1')))).toBe('valid')
    const through = delivered().answer(1, { status: 'retry' }).crash('consumer-1')
    expect(kindsOf(redelivered(through))).toEqual(['dead-lettered-for-nothing'])
  })

  test('a lost reply or command in the meantime is a cause, but not of another process', () => {
    const lost = (type: 'reply-lost' | 'request-lost', process: string) =>
      deadLetter(delivered().add({ type, process, command: 'EVALSHA begin' })).rest()
    expect(kindsOf(lost('reply-lost', 'consumer-1'))).toBe('valid')
    expect(kindsOf(lost('request-lost', 'consumer-1'))).toBe('valid')
    expect(kindsOf(lost('reply-lost', 'consumer-2'))).toEqual(['dead-lettered-for-nothing'])
  })

  test('dead-lettering after an unsimulated command, or no dead-lettering in a broken-off run, is unknown', () => {
    expect(kindsOf(deadLetter(delivered().add({ type: 'unsupported', what: 'FCALL' })).rest())).toBe('unknown')
    expect(kindsOf(delivered().breakOff())).toBe('unknown')
  })
})

describe('a layer that leaves no doubt on keyed sinks', () => {
  const claims = (changes: Partial<RunHeader> = {}) => aRun({ sink: 'keyed', leavesNoDoubtOn: ['keyed'], ...changes })
  const inDoubt = (history: HistoryBuilder) =>
    history.publish('m1').deliver(1, 'm1', 'consumer-1').send(1, 1).crash('consumer-1').loseData('restart')
  const deadLetteredAt = (ms: number, history: HistoryBuilder) =>
    history.at(ms).deliver(2, 'm1', 'consumer-2', 2).settle('m1', 'dead-lettered', 'in-doubt').rest()

  test('must not dead-letter what the sink would have settled', () => {
    expect(kindsOf(deadLetteredAt(50, inDoubt(claims())))).toEqual(['dead-lettered-in-place-of-asking'])
  })

  test('is judged like any other on another sink', () => {
    expect(kindsOf(deadLetteredAt(50, inDoubt(claims({ sink: 'plain' }))))).toBe('valid')
    expect(kindsOf(deadLetteredAt(50, inDoubt(claims({ leavesNoDoubtOn: [] }))))).toBe('valid')
    expect(kindsOf(deadLetter(claims().publish('m1').deliver(1, 'm1', 'consumer-1')).rest())).toEqual([
      'dead-lettered-for-nothing',
    ])
  })

  test('may dead-letter messages beyond the retention, and no younger ones', () => {
    expect(kindsOf(deadLetteredAt(10_000, inDoubt(claims())))).toBe('valid')
    expect(kindsOf(deadLetteredAt(9998, inDoubt(claims())))).toEqual(['dead-lettered-in-place-of-asking'])
  })

  test('may dead-letter other payloads, wrong produced-at times, and messages that a wrong clock affects', () => {
    const other = () => inDoubt(claims()).publish('m2', { fingerprint: 'pay 2' })
    expect(kindsOf(deadLetteredAt(50, other().deliver(3, 'm2', 'consumer-3')))).toBe('valid')
    expect(kindsOf(deadLetteredAt(50, other()))).toEqual(['dead-lettered-in-place-of-asking'])
    const producedOff = () => inDoubt(claims()).publish('m0', { producedAtOffMs: 5 })
    expect(kindsOf(deadLetteredAt(50, producedOff().deliver(3, 'm0', 'consumer-3')))).toBe('valid')
    expect(kindsOf(deadLetteredAt(50, producedOff()))).toEqual(['dead-lettered-in-place-of-asking'])
    expect(kindsOf(deadLetteredAt(50, inDoubt(claims().strike('clock-step'))))).toBe('valid')
    expect(kindsOf(deadLetteredAt(50, inDoubt(claims().strike('slow-redis'))))).toEqual([
      'dead-lettered-in-place-of-asking',
    ])
  })
})

describe('a run without faults', () => {
  const calm = (changes: Partial<RunHeader> = {}) =>
    aRun({ faultFree: true, ...changes })
      .publish('m1')
      .deliver(1, 'm1', 'consumer-1')
      .send(1, 1)

  test('is valid if everything is done with one effect per key', () => {
    expect(kindsOf(calm().apply(1).done(1).settle('m1', 'done').rest())).toBe('valid')
  })

  test('fault-free-not-done: refused, given up or dead-lettered, even with a sent request', () => {
    expect(kindsOf(calm().apply(1).settle('m1', 'refused').rest())).toEqual(['fault-free-not-done'])
    expect(kindsOf(deadLetter(calm().apply(1)).rest())).toEqual(['fault-free-not-done'])
  })

  test('fault-free-not-done: has the end of the message with its reason, and its last answer', () => {
    const reported = (history: HistoryBuilder) => {
      const verdict = judge(history, ['no-needless-park'])[0]!.verdict
      const [violation] = verdict.verdict === 'violated' ? verdict.violations : []
      return { sentence: violation?.sentence, shows: violation?.events.map((seq) => history.events[seq]!.type) }
    }
    const not = 'm1 (key k1) was not done, although no fault was planned'
    const deadLettered = calm().apply(1).at(300).answer(1, { status: 'dead-letter', reason: 'in-doubt' })
    expect(reported(deadLettered.settle('m1', 'dead-lettered', 'in-doubt').rest())).toEqual({
      sentence: `${not}: it was dead-lettered at 300.0 ms as "in-doubt"`,
      shows: ['published', 'answered', 'settled'],
    })
    expect(reported(calm().apply(1).settle('m1', 'given-up').rest()).sentence).toBe(
      `${not}: the broker dropped it at 0.0 ms (given-up)`,
    )
    expect(reported(calm().apply(1).throw(1).rest())).toEqual({ sentence: not, shows: ['published', 'threw'] })
  })

  test('done counts even if it was too late for the broker, unlike no answer', () => {
    const late = () => calm().apply(1).add({ type: 'delivery-timed-out', deliveryId: 1 })
    expect(kindsOf(late().done(1).settle('m1', 'given-up').rest())).toBe('valid')
    expect(kindsOf(late().settle('m1', 'given-up').rest())).toEqual(['fault-free-not-done'])
    const retried = late().answer(1, { status: 'retry' }).settle('m1', 'given-up')
    expect(kindsOf(retried.rest())).toEqual(['fault-free-not-done'])
  })

  test('fault-free-effects: none, or two', () => {
    expect(kindsOf(calm().settle('m1', 'done').rest())).toEqual(['fault-free-effects'])
    const twice = calm().apply(1).send(2, 1).apply(2).settle('m1', 'done')
    expect(kindsOf(twice.rest())).toEqual(['fault-free-effects'])
  })

  test('fault-free-effects: ignores cancelled effects', () => {
    const twice = () =>
      calm({ sink: 'cancellable' }).apply(1).send(2, 1).apply(2).cancel('consumer-1', 1).settle('m1', 'done')
    expect(kindsOf(twice().rest())).toBe('valid')
    expect(kindsOf(twice().cancel('consumer-1', 2).rest())).toEqual(['fault-free-effects'])
  })

  test('accepted counts as done if the effect follows', () => {
    const accepted = () => aRun({ faultFree: true }).publish('m1').deliver(1, 'm1', 'consumer-1')
    const answered = () => accepted().answer(1, { status: 'accepted' }).settle('m1', 'accepted')
    expect(kindsOf(answered().send(1, 1, { unknownDelivery: true }).apply(1).rest())).toBe('valid')
    expect(kindsOf(answered().rest())).toEqual(['fault-free-effects'])
    const late = accepted().add({ type: 'delivery-timed-out', deliveryId: 1 }).answer(1, { status: 'accepted' })
    expect(kindsOf(late.settle('m1', 'given-up').send(1, 1).apply(1).rest())).toBe('valid')
  })

  test('only one message must be done for a key with two payloads', () => {
    const conflict = () => calm().apply(1).publish('m2', { fingerprint: 'pay 2' })
    expect(kindsOf(conflict().settle('m1', 'done').settle('m2', 'dead-lettered', 'mismatch').rest())).toBe('valid')
    const none = conflict().settle('m1', 'refused').settle('m2', 'dead-lettered', 'mismatch')
    expect(kindsOf(none.rest())).toEqual(['fault-free-not-done', 'fault-free-not-done'])
  })

  test('a dead-lettering for nothing is reported once', () => {
    const history = aRun({ faultFree: true }).publish('m1').deliver(1, 'm1', 'consumer-1')
    expect(kindsOf(deadLetter(history).rest())).toEqual(['dead-lettered-for-nothing'])
  })

  test('an open message in a broken-off run is unknown', () => {
    expect(kindsOf(calm().breakOff())).toBe('unknown')
  })

  test('a planned fault disables these checks', () => {
    expect(kindsOf(aRun().publish('m1').settle('m1', 'given-up').rest())).toBe('valid')
  })
})

describe('a produced-at time that is off by no more than the layer tolerates', () => {
  const deadLetter = { status: 'dead-letter', reason: 'in-doubt: from-the-future' } as const
  /** Dead-lettered at that time with this wrong produced-at time. The retention is 10 s. */
  const deadLettered = (
    producedAtOffMs: number,
    atMs: number,
    changes: Partial<RunHeader> = { maxClockSkewMs: 1000 },
  ) =>
    aRun(changes)
      .publish('m1', { producedAtOffMs })
      .at(atMs)
      .deliver(1, 'm1', 'consumer-1')
      .answer(1, deadLetter)
      .settle('m1', 'dead-lettered', deadLetter.reason)
      .rest()

  test('is not a reason to dead-letter, but a larger offset is', () => {
    expect(kindsOf(deadLettered(1000, 5))).toEqual(['dead-lettered-for-nothing'])
    expect(kindsOf(deadLettered(-1000, 5))).toEqual(['dead-lettered-for-nothing'])
    expect(kindsOf(deadLettered(1001, 5))).toBe('valid')
    expect(kindsOf(deadLettered(-1001, 5))).toBe('valid')
  })

  test('is a reason for a layer that declares no tolerance', () => {
    expect(kindsOf(deadLettered(1, 5, {}))).toBe('valid')
  })

  test('still ages the message', () => {
    expect(kindsOf(deadLettered(-900, 9000))).toEqual(['dead-lettered-for-nothing'])
    expect(kindsOf(deadLettered(-900, 9101))).toBe('valid')
    expect(kindsOf(deadLettered(900, 9101))).toEqual(['dead-lettered-for-nothing'])
  })

  test('is not a separate produced-at time, but two of them for one key are a reason', () => {
    const twice = (producedAtOffMs: number) =>
      aRun({ maxClockSkewMs: 1000 })
        .publish('m1', { producedAtOffMs: 7 })
        .publish('m2', { producedAtOffMs })
        .deliver(1, 'm1', 'consumer-1')
        .send(1, 1)
        .apply(1)
        .done(1)
        .settle('m1', 'done')
        .deliver(2, 'm2', 'consumer-2')
        .answer(2, deadLetter)
        .settle('m2', 'dead-lettered', deadLetter.reason)
        .rest()
    expect(kindsOf(twice(8))).toBe('valid')
    expect(kindsOf(twice(7))).toEqual(['dead-lettered-for-nothing'])
  })

  test('is known for a copy, although the broker does not repeat it', () => {
    const history = aRun({ maxClockSkewMs: 1000 })
      .publish('m1', { producedAtOffMs: 7 })
      .publish('m1', { copy: true })
      .deliver(1, 'm1', 'consumer-1')
      .deliver(2, 'm1', 'consumer-2')
      .answer(1, deadLetter)
      .settle('m1', 'dead-lettered', deadLetter.reason)
    expect(kindsOf(history.rest())).toEqual(['dead-lettered-for-nothing'])
  })
})
