import { describe, expect, test } from 'vitest'
import { atMostOnce } from '../../src/check/at-most-once.ts'
import type { JsonValue } from '../../src/contract/api/json.ts'
import { aRun } from './history-builder.ts'
import { kinds } from './kinds.ts'

const kindsOf = (history: Parameters<typeof atMostOnce.judge>[0]) => kinds(atMostOnce.judge(history))

/** consumer-1 has `m1` from 0 ms, and sends its effect at 5 ms. The lease is 100 ms. */
const firstHolder = () => aRun().publish('m1').deliver(1, 'm1', 'consumer-1').at(5).send(1, 1)
const secondHolder = (history: ReturnType<typeof firstHolder>, ms: number) =>
  history.at(ms).deliver(2, 'm1', 'consumer-2', 2).send(2, 2)

describe('at-most-once', () => {
  test('one effect per key is valid, however often its message was delivered', () => {
    expect(kindsOf(secondHolder(firstHolder().apply(1).done(1), 20).rest())).toBe('valid')
  })

  test('two messages with their own keys have an effect each', () => {
    const history = firstHolder().apply(1).publish('m2', { key: 'k2' }).deliver(2, 'm2', 'consumer-1').send(2, 2)
    expect(kindsOf(history.apply(2).rest())).toBe('valid')
  })

  test('two payloads under one key are not counted together', () => {
    const history = firstHolder().apply(1).publish('m2', { fingerprint: 'pay 2' }).deliver(2, 'm2', 'consumer-1')
    expect(kindsOf(history.send(2, 2).apply(2).rest())).toBe('valid')
  })

  test('a broken-off run without a repeat is unknown', () => {
    expect(kindsOf(firstHolder().apply(1).breakOff())).toBe('unknown')
    expect(kindsOf(firstHolder().apply(1))).toBe('unknown')
  })

  test('a repeat counts even if the run was broken off or met an unsupported feature', () => {
    const twice = () => secondHolder(firstHolder(), 8).apply(1).apply(2)
    expect(kindsOf(twice().breakOff())).toEqual(['duplicate'])
    expect(kindsOf(twice().add({ type: 'unsupported', what: 'OBJECT' }).rest())).toEqual(['duplicate'])
  })

  test('an effect counts only if no delivery has cancelled it by the end', () => {
    const applied = () =>
      secondHolder(aRun({ sink: 'cancellable' }).publish('m1').deliver(1, 'm1', 'consumer-1').at(5).send(1, 1), 8)
        .apply(1)
        .apply(2)
    expect(kindsOf(applied().cancel('consumer-1', 1).rest())).toBe('valid')
    expect(kindsOf(applied().cancel('consumer-1', 2).rest())).toBe('valid')
    expect(kindsOf(applied().cancel('consumer-1', 1, 2).rest())).toBe('valid')
    expect(kindsOf(applied().rest())).toEqual(['duplicate'])
    expect(kindsOf(applied().send(3, 2).apply(3).cancel('consumer-2', 2).rest())).toEqual(['duplicate'])
  })

  test('a repeat on a cancellable sink in a broken-off run is unknown, because it may still be cancelled', () => {
    const applied = secondHolder(
      aRun({ sink: 'cancellable' }).publish('m1').deliver(1, 'm1', 'consumer-1').at(5).send(1, 1),
      8,
    )
      .apply(1)
      .apply(2)
    expect(kindsOf(applied.breakOff())).toBe('unknown')
  })

  test('three effects are two violations', () => {
    const history = secondHolder(firstHolder().apply(1), 8).apply(2)
    history.deliver(3, 'm1', 'consumer-3').send(3, 3).apply(3)
    expect(kindsOf(history.rest())).toEqual(['duplicate', 'duplicate'])
  })

  test('a violation has both processes with their times, and both effects', () => {
    const verdict = atMostOnce.judge(secondHolder(firstHolder().at(6).apply(1), 8).apply(2).rest())
    const [violation] = verdict.verdict === 'violated' ? verdict.violations : []
    expect(violation).toMatchObject({ key: 'k1', events: expect.arrayContaining([3, 6]) })
    expect(violation?.sentence).toBe(
      'the effect of k1 was applied by consumer-1 at 6.0 ms and again by consumer-2 at 8.0 ms: two deliveries of the key were being handled at once',
    )
  })
})

describe('the kind of a repeat', () => {
  test('duplicate: two live holders within the lease', () => {
    expect(kindsOf(secondHolder(firstHolder(), 8).at(12).apply(1).apply(2).rest())).toEqual(['duplicate'])
  })

  test('duplicate: a done message is done again without a loss', () => {
    expect(kindsOf(secondHolder(firstHolder().apply(1).done(1), 20).apply(2).rest())).toEqual(['duplicate'])
  })

  test('duplicate: one attempt sends twice', () => {
    const history = firstHolder().apply(1).notifyCaller(1, 'receipt').at(500).send(2, 1).apply(2)
    expect(kindsOf(history.rest())).toEqual(['duplicate'])
  })

  test('zombie: a holder that was paused beyond its lease sends after another one was done', () => {
    const history = aRun().publish('m1').deliver(1, 'm1', 'consumer-1').at(10).pause('consumer-1')
    secondHolder(history, 150).apply(2).done(2).at(300).resume('consumer-1').send(1, 1).apply(1)
    expect(kindsOf(history.rest())).toEqual(['zombie'])
  })

  test('zombie: an effect in flight for longer than the lease is overtaken', () => {
    const history = secondHolder(firstHolder(), 150).apply(2).at(180).apply(1).rest()
    expect(kindsOf(history)).toEqual(['zombie'])
    // The layer may take no lease: the sentence names that of the run.
    const judged = atMostOnce.judge(history)
    expect(judged.verdict === 'violated' && judged.violations[0]!.sentence).toContain(
      "after its delivery, longer than the run's lease of 100.0 ms",
    )
  })

  test('zombie: a paused holder that applied its effect has lost its lease to the second', () => {
    const history = firstHolder().apply(1).pause('consumer-1')
    expect(kindsOf(secondHolder(history, 150).apply(2).rest())).toEqual(['zombie'])
  })

  test('duplicate: the first holder answers at the very end of its lease', () => {
    expect(kindsOf(secondHolder(firstHolder().apply(1), 100).apply(2).rest())).toEqual(['duplicate'])
  })

  test('repeat-after-crash: the first process ended before it answered', () => {
    const history = firstHolder().apply(1).at(7).crash('consumer-1')
    expect(kindsOf(secondHolder(history, 150).apply(2).rest())).toEqual(['repeat-after-crash'])
  })

  test('repeat-after-crash: the effect of the dead process arrives after the second one', () => {
    const history = firstHolder().at(7).crash('consumer-1')
    expect(kindsOf(secondHolder(history, 150).apply(2).at(160).apply(1).rest())).toEqual(['repeat-after-crash'])
  })

  test('a crash after the answer does not explain a repeat', () => {
    const history = firstHolder().apply(1).done(1).at(7).crash('consumer-1')
    expect(kindsOf(secondHolder(history, 20).apply(2).rest())).toEqual(['duplicate'])
  })

  test('a crash after the second effect was sent does not explain it either', () => {
    const history = secondHolder(firstHolder().apply(1), 8).at(9).crash('consumer-1').apply(2)
    expect(kindsOf(history.rest())).toEqual(['duplicate'])
  })

  test('repeat-after-error: the caller got an error', () => {
    const history = firstHolder().apply(1).at(30).notifyCaller(1, 'error').answer(1, { status: 'retry' })
    expect(kindsOf(secondHolder(history, 80).apply(2).rest())).toEqual(['repeat-after-error'])
  })

  test('repeat-after-error: within one delivery', () => {
    const history = firstHolder().apply(1).at(30).notifyCaller(1, 'error').send(2, 1).apply(2)
    expect(kindsOf(history.rest())).toEqual(['repeat-after-error'])
  })

  test('repeat-after-error: the handler threw after its effect', () => {
    expect(kindsOf(secondHolder(firstHolder().apply(1).throw(1), 80).apply(2).rest())).toEqual(['repeat-after-error'])
  })

  test('repeat-after-error: the handler answered retry after its effect', () => {
    const history = firstHolder().apply(1).notifyCaller(1, 'receipt').answer(1, { status: 'retry' })
    expect(kindsOf(secondHolder(history, 80).apply(2).rest())).toEqual(['repeat-after-error'])
  })

  test('repeat-after-loss: records were lost after the first attempt', () => {
    const history = firstHolder().apply(1).done(1).at(50).loseData('failover')
    expect(kindsOf(secondHolder(history, 80).apply(2).rest())).toEqual(['repeat-after-loss:failover'])
  })

  test('repeat-after-loss precedes a crash, unless other keys were lost', () => {
    const crashed = (keys: readonly string[]) =>
      secondHolder(firstHolder().apply(1).crash('consumer-1').loseData('eviction', keys), 150).apply(2).rest()
    expect(kindsOf(crashed(['idem:k1']))).toEqual(['repeat-after-loss:eviction'])
    expect(kindsOf(crashed(['idem:k10']))).toEqual(['repeat-after-crash'])
  })

  test('a lost record belongs to the longest key in its name', () => {
    const lost = (name: string) => {
      const history = aRun().publish('m1', { key: 'order:1' }).publish('m2', { key: 'order:1:lock' })
      history.deliver(1, 'm1', 'consumer-1').send(1, 1).apply(1).done(1).at(50).loseData('eviction', [name])
      return kindsOf(history.at(60).deliver(2, 'm1', 'consumer-2', 2).send(2, 2).apply(2).rest())
    }
    expect(lost('seen:order:1')).toEqual(['repeat-after-loss:eviction'])
    expect(lost('seen:order:1:lock')).toEqual(['duplicate'])
  })

  test('a loss before both attempts explains nothing', () => {
    const history = aRun().publish('m1').loseData('flush').deliver(1, 'm1', 'consumer-1').send(1, 1).apply(1).done(1)
    expect(kindsOf(secondHolder(history, 20).apply(2).rest())).toEqual(['duplicate'])
  })

  test('repeat-after-loss: the record of a done message expired', () => {
    const history = firstHolder().apply(1).done(1).at(50).loseData('expiry', ['idem:k1'])
    expect(kindsOf(secondHolder(history, 80).apply(2).rest())).toEqual(['repeat-after-loss:expiry'])
  })

  test('a lock that expired under the second of two simultaneous attempts is not a loss', () => {
    const history = firstHolder().at(20).deliver(2, 'm1', 'consumer-2', 2).at(30).apply(1).done(1)
    expect(kindsOf(history.at(60).loseData('expiry', ['lock:k1']).at(70).send(2, 2).apply(2).rest())).toEqual([
      'duplicate',
    ])
  })

  test('a lock that expired under its holder is a zombie, not a loss', () => {
    const history = firstHolder().at(100).loseData('expiry', ['lock:k1'])
    expect(kindsOf(secondHolder(history, 150).apply(2).at(160).apply(1).rest())).toEqual(['zombie'])
  })

  describe('by a relay, which sends outside deliveries', () => {
    const because = (history: Parameters<typeof atMostOnce.judge>[0]) => {
      const judged = atMostOnce.judge(history)
      return judged.verdict === 'violated' ? judged.violations.map(({ kind, sentence }) => [kind, sentence]) : []
    }
    const outside = { unknownDelivery: true }
    const relayed = () =>
      aRun().publish('m1').deliver(1, 'm1', 'consumer-1').answer(1, { status: 'accepted' }).at(10).send(1, 1, outside)
    const twin = (history: ReturnType<typeof firstHolder>) =>
      history.publish('m9').deliver(9, 'm9', 'consumer-2').done(9).at(500).send(2, 9, outside).apply(2).rest()

    test('once is valid', () => {
      expect(kindsOf(relayed().apply(1).rest())).toBe('valid')
    })

    test('repeat-after-crash: the relay died before it got its answer', () => {
      const crashed = twin(relayed().apply(1).crash('consumer-1'))
      expect(because(crashed)).toEqual([['repeat-after-crash', expect.stringContaining('consumer-1 had crashed')]])
    })

    test('repeat-after-error: the relay got an error', () => {
      const reported = twin(relayed().apply(1).notifyCaller(1, 'error'))
      expect(kindsOf(reported)).toEqual(['repeat-after-error'])
    })

    test('duplicate: nothing excuses it, and the sentence names a delivery only if there is one', () => {
      expect(because(twin(relayed().apply(1).notifyCaller(1, 'receipt')))).toEqual([
        ['duplicate', expect.stringContaining('both were sent outside of any delivery of the key')],
      ])
      const one = firstHolder().apply(1).answer(1, { status: 'accepted' })
      expect(because(twin(one))).toEqual([
        ['duplicate', expect.stringContaining('consumer-2 sent it outside of any delivery of the key')],
      ])
      const none = firstHolder().apply(1).answer(1, { status: 'accepted' })
      expect(because(secondHolder(none, 20).apply(2).rest())).toEqual([
        ['duplicate', expect.stringContaining('consumer-1 had answered accepted at')],
      ])
    })
  })

  test('a request without a known delivery belongs to the newest open one of the process', () => {
    const history = aRun().publish('m1').deliver(1, 'm1', 'consumer-1').deliver(3, 'm1', 'consumer-1')
    history.at(5).send(1, 1, { unknownDelivery: true }).apply(1).done(3)
    expect(kindsOf(secondHolder(history, 150).apply(2).rest())).toEqual(['duplicate'])
  })

  describe('if the delivery of a request is unknown, a sentence claims only one of the process', () => {
    const unknown = { unknownDelivery: true }
    const both = () => aRun().publish('m1').deliver(1, 'm1', 'consumer-1').deliver(2, 'm1', 'consumer-1', 2).at(5)
    const sentenceOf = (history: ReturnType<typeof both>) => {
      const judged = atMostOnce.judge(history.rest())
      return judged.verdict === 'violated' ? judged.violations[0]!.sentence : ''
    }
    const twice = (how: typeof unknown | undefined) =>
      sentenceOf(both().send(1, 1, how).apply(1).send(2, 1, how).apply(2).send(3, 1, how).apply(3))

    test('for an answer, and for a thrown error', () => {
      const ended = (how: typeof unknown | undefined) =>
        sentenceOf(secondHolder(both().send(1, 2, how).apply(1).answer(2, { status: 'retry' }).throw(1), 50).apply(2))
      expect(ended(unknown)).toContain(
        'a delivery of the key in consumer-1 had answered retry at 5.0 ms, although the effect was applied',
      )
      expect(ended(undefined)).toContain(': consumer-1 had answered retry at 5.0 ms, although its effect was applied')
    })

    test('and a kind that is true for each possible sender', () => {
      const ended = (how: typeof unknown | undefined, other: 'throws' | 'goes on' | 'is done') => {
        const history = both().send(1, 2, how).apply(1).answer(2, { status: 'retry' })
        if (other === 'throws') history.throw(1)
        if (other === 'is done') history.done(1, 'another')
        return kindsOf(secondHolder(history, 50).apply(2).rest())
      }
      expect(ended(unknown, 'throws')).toEqual(['repeat-after-error'])
      expect(ended(unknown, 'goes on')).toEqual(['duplicate'])
      expect(ended(unknown, 'is done')).toEqual(['duplicate'])
      expect(ended(undefined, 'goes on')).toEqual(['repeat-after-error'])
      const goesOn = both().send(1, 2, unknown).apply(1).answer(2, { status: 'retry' })
      expect(sentenceOf(secondHolder(goesOn, 50).apply(2))).toContain('two deliveries of the key were being handled')
    })

    test('even after two calls of one of them', () => {
      const again = (how: typeof unknown | undefined) => {
        const history = both().send(1, 1, how).apply(1).notifyCaller(1, 'receipt').answer(1, { status: 'retry' })
        return history.send(2, 2).apply(2)
      }
      expect(kindsOf(again(unknown).rest())).toEqual(['duplicate'])
      expect(sentenceOf(again(unknown))).toContain('two deliveries of the key were being handled at once')
      expect(kindsOf(again(undefined).rest())).toEqual(['repeat-after-error'])
    })

    test('and a crash or an error that the request alone proves', () => {
      const shown = (what: 'crash' | 'error' | 'receipt') => {
        const history = both().send(1, 1, unknown).apply(1).answer(2, { status: 'retry' })
        if (what !== 'crash') history.notifyCaller(1, what)
        if (what === 'error') history.done(1, 'another')
        else history.crash('consumer-1')
        return kindsOf(secondHolder(history, 50).apply(2).rest())
      }
      expect(shown('crash')).toEqual(['repeat-after-crash'])
      expect(shown('error')).toEqual(['repeat-after-error'])
      // The one with the receipt may be the one that answered retry.
      expect(shown('receipt')).toEqual(['duplicate'])
    })

    test('for a loss before one of them, which may be the sender', () => {
      const lost = (when: 'between them' | 'after both') => {
        const history = aRun().publish('m1').deliver(1, 'm1', 'consumer-1')
        if (when === 'between them') history.loseData('failover')
        history.deliver(2, 'm1', 'consumer-1', 2).send(1, 2, unknown)
        if (when === 'after both') history.loseData('failover')
        return kindsOf(secondHolder(history, 50).apply(1).apply(2).rest())
      }
      expect(lost('between them')).toEqual(['duplicate'])
      expect(lost('after both')).toEqual(['repeat-after-loss:failover'])
    })

    test('unless an answer proves the sender', () => {
      const proven = (result: JsonValue) =>
        sentenceOf(secondHolder(both().send(1, 2, unknown).apply(1).throw(2).done(1, result), 50).apply(2))
      expect(proven({ effectId: 'effect-1' })).toContain('a delivery of the key in consumer-1 had answered done')
      expect(proven({ effectId: 'another' })).not.toContain('had answered done')
    })

    test('for a second call', () => {
      expect(twice(undefined)).toContain('consumer-1 sent it twice within one delivery')
      expect(twice(unknown)).not.toContain('within one delivery')
    })

    test('for one that is still running, and for one that returns late', () => {
      const late = (how: typeof unknown | undefined) =>
        sentenceOf(secondHolder(both().send(1, 2, how).apply(1), 500).apply(2))
      expect(late(unknown)).toContain('consumer-1 still ran a delivery of the key')
      expect(late(undefined)).toContain('consumer-1 still ran')
      expect(late(undefined)).toContain('after its delivery')
    })
  })
})
