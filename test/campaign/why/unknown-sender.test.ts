/**
 * If a process had several deliveries of a key, the sender of a request is ambiguous. The cause
 * must not describe the deeds of one delivery.
 */

import { OK } from 'redis-sim/resp'
import { describe, expect, it } from 'vitest'
import { whyOf } from '../../../src/campaign/causes/why/why.ts'
import { whyOfFacts } from '../../../src/campaign/causes/why/why-of-facts.ts'
import { atMostOnce } from '../../../src/check/at-most-once.ts'
import { story } from './story.ts'

type Story = ReturnType<typeof story>

const unknown = { unknownDelivery: true }

/** The kind that the checker finds, and the cause. */
function reported({ history, executed }: Story) {
  const judged = atMostOnce.judge(history)
  const violation = judged.verdict === 'violated' ? judged.violations.at(-1)! : null
  return { kind: violation!.kind, why: whyOf({ history, executed }, violation!).why }
}

/** `b` takes the key and performs. */
function bPerforms({ history, command }: Story, deliveryId: number, requestId: number) {
  history.deliver(deliveryId, 'm1', 'b', deliveryId)
  command('b', 'SET k1 b EX 5 NX', OK)
  history.send(requestId, deliveryId).apply(requestId)
}

/** `a` has claimed the key for its first delivery, and has received a second one. */
function claimed(leaseMs = 100_000): Story {
  const run = story({ leaseMs, retentionMs: 86_400_000 })
  run.history.publish('m1').deliver(1, 'm1', 'a')
  run.command('a', 'SET k1 a EX 5 NX', OK)
  run.history.deliver(2, 'm1', 'a', 2)
  return run
}

describe('for a request of one of several deliveries', () => {
  it('the cause omits a failure of the other delivery if the answer proves that the sender finished', () => {
    const run = (isUnknown: boolean) => {
      const { history, command, executed, ...rest } = story()
      history.publish('m1').deliver(1, 'm1', 'a')
      command('a', 'SET k1 a NX', OK)
      history.send(1, 1).notifyCaller(1, 'error')
      history.deliver(2, 'm1', 'a', 2).send(2, 2, { unknownDelivery: isUnknown }).apply(2)
      Object.assign(history.events.at(-1)!, { gives: { value: { charge: 'ch_1' } } })
      history.notifyCaller(2, 'receipt')
      if (isUnknown) history.done(1, { charge: 'ch_1' })
      history.answer(2, { status: 'retry' })
      command('a', 'DEL k1', 1)
      const whole = { history, command, executed, ...rest }
      bPerforms(whole, 3, 3)
      return reported(whole)
    }
    expect(run(true)).toEqual({ kind: 'duplicate', why: 'the last effect was sent after SET NX had answered OK' })
    expect(run(false)).toEqual({
      kind: 'repeat-after-error',
      why: 'the first attempt had its receipt, and then failed before the effect was recorded; it deleted its claim',
    })
  })

  it('the cause omits a failure if the handler may have called twice', () => {
    const run = (isUnknown: boolean) => {
      const whole = claimed()
      const { history, command } = whole
      history.send(1, 1, { unknownDelivery: isUnknown }).apply(1).notifyCaller(1, 'receipt')
      command('a', 'DEL k1', 1)
      history.answer(1, { status: 'retry' })
      command('a', 'SET k1 a EX 5 NX', OK)
      history.send(2, 2).apply(2)
      return reported(whole)
    }
    expect(run(true)).toEqual({
      kind: 'duplicate',
      why: 'the last effect was sent after SET NX had answered OK',
    })
    expect(run(false).kind).toBe('repeat-after-error')
    expect(run(false).why).toContain('the first attempt had its receipt, and then failed')
  })

  it('the cause omits a working holder, because it may be the delivery that threw', () => {
    const run = (isUnknown: boolean) => {
      const whole = claimed(1_000)
      whole.history.send(1, 2, { unknownDelivery: isUnknown }).apply(1).throw(1).at(6_000).loseData('expiry', ['k1'])
      bPerforms(whole, 3, 3)
      return reported(whole)
    }
    expect(run(true)).toEqual({
      kind: 'duplicate',
      why: 'the data of the key expired while an attempt was at work, and two attempts performed',
    })
    expect(run(false).kind).toBe('zombie')
    expect(run(false).why).toContain('before its holder had the receipt of its effect')
  })

  it('the cause omits a death, because the sender may have answered before', () => {
    const run = (isUnknown: boolean) => {
      const whole = claimed()
      whole.history.send(1, 2, { unknownDelivery: isUnknown }).apply(1).notifyCaller(1, 'receipt')
      whole.history.answer(1, { status: 'retry' }).crash('a').at(6_000).loseData('expiry', ['k1'])
      bPerforms(whole, 3, 3)
      return reported(whole)
    }
    expect(run(true).why).toBe('the last effect was sent after SET NX had answered OK')
    expect(run(false).why).toContain('the process died after it had sent the effect')
  })

  it('the cause has the error of the call, but not the deletion of the own claim', () => {
    const run = (isUnknown: boolean) => {
      const whole = claimed()
      whole.history.send(1, 2, { unknownDelivery: isUnknown }).apply(1).notifyCaller(1, 'error')
      whole.command('a', 'DEL k1', 1)
      whole.history.throw(1).throw(2)
      bPerforms(whole, 3, 3)
      return reported(whole).why
    }
    const error = "the sink's answer to the first attempt was an error, though the effect was applied"
    expect(run(true)).toBe(`${error}; DEL of a deleted the claim, and the next attempt found the key free`)
    expect(run(false)).toBe(`${error}; the layer treated that as a failure and deleted its claim`)
  })

  it('the cause has an expired record only if the answer proves that the sender finished', () => {
    const run = (result: string) => {
      const whole = claimed()
      const { history, command } = whole
      history.send(1, 2, unknown).apply(1).notifyCaller(1, 'receipt')
      command('a', 'SET k1 done EX 60', OK)
      history.done(1, { effectId: result }).done(2, null).at(60_000).loseData('expiry', ['k1'])
      bPerforms(whole, 3, 3)
      return reported(whole)
    }
    const expired = 'the record expired after 1 min, while deliveries of the message still came'
    expect(run('effect-1')).toEqual({ kind: 'repeat-after-loss:expiry', why: expired })
    expect(run('another').why).toBe('the last effect was sent after SET NX had answered OK')
  })

  it('the cause attributes no step, even from a time when the process had only one delivery', () => {
    const run = (isUnknown: boolean) => {
      const whole = story()
      const { history, command } = whole
      history.publish('m1').deliver(1, 'm1', 'b').send(1, 1).apply(1).done(1).deliver(2, 'm1', 'a', 2)
      command('a', 'GET k1', null)
      history.deliver(3, 'm1', 'a', 3).send(2, 2, { unknownDelivery: isUnknown }).apply(2).notifyCaller(2, 'receipt')
      // The newer delivery handles the third effect, so the other effect belongs to the older
      // delivery.
      history.answer(2, { status: 'retry' }).send(3, 3)
      return reported(whole).why
    }
    expect(run(true)).toBe(
      'the effect of k1 was applied by b at 0.0 ms and again by a at 0.0 ms: b had answered done at 0.0 ms',
    )
    expect(run(false)).toBe('the last effect was sent after GET had answered nothing')
  })

  it('the cause omits pauses and surrender on live runs, which record no commands', () => {
    const cause = (kind: string, { history }: Story) => {
      const events = history.events.flatMap(({ type, seq }) => (type === 'effect-applied' ? [seq] : []))
      return whyOfFacts(history, { kind, key: 'k1', sentence: '', events })
    }
    const gaveUp = (isUnknown: boolean) => {
      const whole = claimed()
      whole.history.send(1, 2, { unknownDelivery: isUnknown }).apply(1).throw(1).throw(2)
      bPerforms(whole, 3, 3)
      return cause('repeat-after-error', whole)
    }
    const stood = (isUnknown: boolean) => {
      const whole = claimed()
      whole.history.pause('a')
      bPerforms(whole, 3, 3)
      whole.history.send(1, 2, { unknownDelivery: isUnknown }).apply(1)
      return cause('zombie', whole)
    }
    expect(gaveUp(true)).toBeNull()
    expect(gaveUp(false)).toContain('the first attempt gave up')
    expect(stood(true)).toBeNull()
    expect(stood(false)).toContain('an attempt stalled')
  })
})

describe('for a step in a process that had another delivery of the key', () => {
  /** `b` receives the key twice, and takes a lock whose name equals another key. */
  const nextAttempt = (published: string, deliveries: number) => {
    const { history, command, why } = story()
    history.publish('m1').publish('m2', { key: published }).deliver(1, 'm1', 'a')
    command('a', 'EVALSHA acquire 1 k1:lock', 1)
    history.send(1, 1).at(60_000).deliver(2, 'm1', 'b', 2)
    if (deliveries > 1) history.deliver(3, 'm1', 'b', 3)
    command('b', 'EVALSHA acquire 1 k1:lock', 1)
    if (deliveries > 1) history.answer(3, { status: 'retry' })
    history.send(2, 2).apply(1).apply(2)
    return why('zombie')
  }

  it('the cause does not attribute the step, although the lock looks like another key', () => {
    const last = 'something happened'
    expect(nextAttempt('k1:lock', 2)).toBe(last)
    expect(nextAttempt('k7', 2)).toBe(last)
    expect(nextAttempt('k1:lock', 1)).toContain('while the first was still at work, for longer than its lease')
  })

  it('the cause counts the reads of the process if each sender is proven', () => {
    const sameProcess = (looks: number, reply: string | null, answers: readonly number[]) => {
      const { history, command, why } = story()
      history.publish('m1').deliver(1, 'm1', 'a').deliver(2, 'm1', 'a', 2)
      for (let n = 0; n < looks; n++) command('a', 'GET k1', n === 0 ? reply : null)
      for (const id of [1, 2]) history.send(id, id, { unknownDelivery: true }).apply(id).notifyCaller(id, 'receipt')
      for (const id of answers) history.done(id, { effectId: `effect-${id}`, key: 'k1' })
      return why('duplicate')
    }
    const reported =
      'the process of the second attempt looked (GET) while the first attempt was at work and had written nothing there yet'
    expect(sameProcess(2, null, [1, 2])).toBe(reported)
    for (const other of [sameProcess(1, null, [1, 2]), sameProcess(2, 'started', [1, 2]), sameProcess(2, null, [1])])
      expect(other).not.toContain('looked')
  })

  it('the cause attributes neither a read nor the lease of a holder', () => {
    const looked = (deliveries: number) => {
      const { history, command, why } = story()
      history.publish('m1').deliver(1, 'm1', 'a').deliver(2, 'm1', 'b', 2)
      if (deliveries > 1) history.deliver(3, 'm1', 'b', 3)
      command('b', 'GET k1', null)
      if (deliveries > 1) history.answer(3, { status: 'retry' })
      history.send(1, 1).apply(1).send(2, 2).apply(2)
      return why('duplicate')
    }
    expect(looked(2)).not.toContain('looked')
    expect(looked(1)).toContain('the process of the second attempt looked (GET)')
    const held = (deliveries: number) => {
      const { history, command, why } = story()
      history.publish('m1').deliver(1, 'm1', 'a')
      if (deliveries > 1) history.deliver(3, 'm1', 'a', 3)
      command('a', 'SET k1 a EX 1 NX', OK)
      if (deliveries > 1) history.answer(3, { status: 'retry' })
      history.at(1_000).loseData('expiry', ['k1']).deliver(2, 'm1', 'b', 2)
      command('b', 'SET k1 b EX 1 NX', OK)
      history.send(2, 2).apply(2).done(2).send(1, 1).apply(1)
      return why('zombie')
    }
    expect(held(2)).not.toContain('the lease ended')
    expect(held(1)).toContain('the lease ended while the holder was still at work')
  })
})

/**
 * `b` did this for one delivery, then received a second one, and called the sink for one of them.
 */
function oneOfTwo({ history }: Story, isUnknown: boolean, did: () => void) {
  history.deliver(2, 'm1', 'b', 2)
  did()
  history.deliver(3, 'm1', 'b', 3).send(2, 2, { unknownDelivery: isUnknown }).apply(2).notifyCaller(2, 'receipt')
  // The newer delivery handles the next effect, so the other effect belongs to the older delivery.
  history.answer(2, { status: 'retry' }).send(3, 3)
}

const expiry = ['repeat-after-loss:expiry', 'effect-applied', 'data-lost'] as const

/** Causes that need a known sender, and histories that lead to them. */
const causes: Readonly<Record<string, (isUnknown: boolean) => string>> = {
  'the process died': (unknownDelivery) => {
    const run = claimed()
    run.history.send(1, 2, { unknownDelivery }).apply(1).answer(1, { status: 'retry' }).crash('a')
    run.history.at(6_000).loseData('expiry', ['k1'])
    bPerforms(run, 3, 3)
    return run.why('repeat-after-crash')
  },
  'had its receipt, and then failed': (unknownDelivery) => {
    const run = claimed()
    run.history.send(1, 2, { unknownDelivery }).apply(1).notifyCaller(1, 'receipt').answer(2, { status: 'retry' })
    run.command('a', 'DEL k1', 1)
    bPerforms(run, 3, 3)
    return run.why('repeat-after-error')
  },
  "the sink's answer to the first attempt was an error": (unknownDelivery) => {
    const run = claimed()
    run.history.send(1, 1, { unknownDelivery }).apply(1).notifyCaller(1, 'error')
    run.command('a', 'DEL k1', 1)
    run.history.answer(1, { status: 'retry' })
    run.command('a', 'SET k1 a EX 5 NX', OK)
    run.history.send(2, 2).apply(2)
    return run.why('repeat-after-error')
  },
  'the data of the key expired after the first attempt was done': (isUnknown) => {
    const run = story()
    run.history.publish('m1').deliver(1, 'm1', 'a').send(1, 1).apply(1).notifyCaller(1, 'receipt')
    run.command('a', 'SET rec:k1 done', OK)
    run.history.done(1).at(60_000).loseData('expiry', ['rec:k1'])
    oneOfTwo(run, isUnknown, () => run.command('b', 'SET lock:k1 b NX', OK))
    return run.why(...expiry)
  },
  'expired while an attempt was at work, and two attempts performed': (unknownDelivery) => {
    const run = claimed()
    run.history.send(1, 1, { unknownDelivery }).apply(1).notifyCaller(1, 'receipt').at(6_000).loseData('expiry', ['k1'])
    run.history.answer(1, { status: 'retry' })
    run.command('a', 'GET other:k1', 'there')
    run.history.send(2, 2).apply(2)
    return run.why('duplicate')
  },
  'the next attempt performed after the script acquire had answered 1, while the first was': (unknownDelivery) => {
    const run = claimed()
    run.history.send(1, 2, { unknownDelivery }).deliver(3, 'm1', 'b', 3)
    run.command('b', 'EVALSHA acquire 1 k1', 1)
    run.history.send(3, 3).apply(1).apply(3)
    return run.why('zombie')
  },
  'another attempt came and performed': (isUnknown) => {
    const run = story()
    run.history.publish('m1').deliver(1, 'm1', 'a')
    run.command('a', 'EVALSHA acquire 1 k1', 'acquired')
    oneOfTwo(run, isUnknown, () => {})
    run.history.send(1, 1).apply(1)
    return run.why('zombie')
  },
  'the process of the second attempt looked (GET) while the first attempt was at work': (unknownDelivery) => {
    const run = story()
    run.history.publish('m1').deliver(1, 'm1', 'a').deliver(2, 'm1', 'a', 2).deliver(3, 'm1', 'b', 3)
    run.command('b', 'GET k1', null)
    run.history.send(1, 2, { unknownDelivery }).apply(1).send(3, 3).apply(3)
    return run.why('duplicate')
  },
  'wrote over the record': (isUnknown) => {
    const run = story()
    run.history.publish('m1').deliver(1, 'm1', 'a')
    oneOfTwo(run, isUnknown, () => {
      run.command('a', 'SET k1 done', OK)
      run.history.send(1, 1).apply(1).done(1)
      run.command('b', 'SET k1 mine', OK)
    })
    return run.why('duplicate')
  },
  'its claim was refused': (isUnknown) => {
    const run = story()
    run.history.publish('m1').deliver(1, 'm1', 'a').send(1, 1).apply(1)
    oneOfTwo(run, isUnknown, () => {
      run.command('b', 'SET k1 b NX', null)
      run.command('b', 'GET k1', null)
    })
    return run.why('zombie')
  },
  'and did not look again once its claim': (isUnknown) => {
    const run = story()
    run.history.publish('m1').deliver(1, 'm1', 'a')
    oneOfTwo(run, isUnknown, () => {
      run.command('b', 'GET k1', null)
      run.history.send(1, 1).apply(1).notifyCaller(1, 'receipt')
      run.command('a', 'SET k1 done', OK)
      run.command('b', 'SET lock:k1 b NX', OK)
    })
    return run.why('duplicate')
  },
  'and the next attempt took the key': (unknownDelivery) => {
    const run = story()
    run.history.publish('m1').deliver(1, 'm1', 'a')
    run.command('a', 'SET k1 a EX 5 NX', OK)
    run.history
      .send(1, 1)
      .apply(1)
      .at(6_000)
      .loseData('expiry', ['k1'])
      .deliver(2, 'm1', 'b', 2)
      .deliver(3, 'm1', 'b', 3)
    run.command('b', 'SET k1 b EX 5 NX', OK)
    run.history.send(2, 2, { unknownDelivery }).apply(2)
    return run.why('zombie')
  },
}

describe('only for a known sender', () => {
  it.each(Object.entries(causes))('the cause is: %s', (reported, cause) => {
    expect(cause(false)).toContain(reported)
    expect(cause(true)).not.toContain(reported)
  })
})
