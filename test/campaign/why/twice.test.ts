import { OK } from 'redis-sim/resp'
import { describe, expect, it } from 'vitest'
import { story } from './story.ts'

describe('the cause of an effect that happened twice', () => {
  it('is a handler that called the sink twice in one delivery', () => {
    const twice = (deliveryOfSecond: number) => {
      const { history, command, why } = story()
      history.publish('m1').deliver(1, 'm1', 'a').deliver(2, 'm1', 'b')
      command('b', 'EVALSHA take 1 k1', 'yes')
      history.send(1, 1).apply(1).send(2, deliveryOfSecond).apply(2)
      return why('duplicate')
    }
    expect(twice(1)).toBe('the handler called the sink twice within one delivery')
    expect(twice(2)).toBe('the last effect was sent after the script take had answered yes')
  })

  it('is not a double call if its process had two deliveries of the key', () => {
    const { history, command, why } = story()
    history.publish('m1').deliver(1, 'm1', 'a')
    command('a', 'EVALSHA take 1 k1', 'yes')
    history.deliver(2, 'm1', 'a')
    command('a', 'EVALSHA take 1 k1', 'yes')
    // Either delivery may have called. The index assigns the call to the newer one.
    history.send(1, 2, { unknownDelivery: true }).apply(1).done(1).send(2, 2).apply(2)
    expect(why('duplicate')).not.toContain('within one delivery')
  })

  it('does not blame an attempt for sending no command if another delivery in its process had sent some', () => {
    const { history, command, why } = story()
    history.publish('m1').deliver(1, 'm1', 'b')
    command('b', 'GET k1', null)
    history.send(1, 1).apply(1).deliver(2, 'm1', 'b').deliver(3, 'm1', 'b')
    history.send(2, 2, { unknownDelivery: true }).apply(2)
    expect(why('duplicate')).not.toContain('no command')
  })

  it('is an attempt that sent no command to Redis', () => {
    const asked = (asks: boolean) => {
      const { history, command, why } = story()
      history.publish('m1').deliver(1, 'm1', 'a').send(1, 1).apply(1).done(1).deliver(2, 'm1', 'b')
      if (asks) command('b', 'GET k1', null)
      history.send(2, 2).apply(2)
      return why('duplicate')
    }
    expect(asked(false)).toBe('no command of the second attempt was executed before its effect')
    expect(asked(true)).toBe('the last effect was sent after GET had answered nothing')
  })

  it('is an attempt without commands rather than a loss that it did not notice', () => {
    const lost = (second: 'asks' | 'asks nothing' | 'is a relay') => {
      const { history, command, why } = story()
      history.publish('m1').deliver(1, 'm1', 'a').send(1, 1).apply(1)
      command('a', 'SET k1 done', OK)
      history.done(1).loseData('flush', ['k1']).deliver(2, 'm1', 'b')
      if (second === 'asks') command('b', 'GET k1', null)
      if (second === 'is a relay') history.answer(2, { status: 'accepted' })
      history.send(2, 2, { unknownDelivery: second === 'is a relay' }).apply(2)
      return why('repeat-after-loss:flush', 'effect-applied', 'data-lost')
    }
    expect(lost('asks nothing')).toBe('no command of the second attempt was executed before its effect')
    const reported = 'Redis was emptied, and the data of the key with it; so the next attempt performed again'
    expect(lost('asks')).toBe(reported)
    // The commands of a relay are unknown, because it has no open delivery.
    expect(lost('is a relay')).toBe(reported)
  })

  it('is a read before any write, but not after the first attempt had ended', () => {
    const looked = (firstIsDone: boolean) => {
      const { history, command, why } = story()
      history.publish('m1').deliver(1, 'm1', 'a')
      command('a', 'GET k1', null)
      history.deliver(2, 'm1', 'b').send(1, 1)
      if (firstIsDone) history.apply(1).done(1)
      command('b', 'GET k1', null)
      if (!firstIsDone) history.apply(1)
      history.send(2, 2).apply(2)
      return why('duplicate')
    }
    expect(looked(false)).toBe(
      'the process of the second attempt looked (GET) while the first attempt was at work and had written nothing there yet',
    )
    expect(looked(true)).toBe('the last effect was sent after GET had answered nothing')
  })

  it('is two reads before either write, with the overwriting write', () => {
    const { history, command, why } = story()
    history.publish('m1').deliver(1, 'm1', 'a').deliver(2, 'm1', 'b')
    command('a', 'GET k1', null)
    command('b', 'GET k1', null)
    command('a', 'SET k1 PROCESSING EX 300', OK)
    command('b', 'SET k1 PROCESSING EX 300', OK)
    history.send(1, 1).send(2, 2).apply(1).apply(2)
    expect(why('duplicate')).toBe(
      "both attempts looked (GET) before either had written, and the second one wrote over the first one's record",
    )
  })

  it('is an overwritten record of another attempt that finished meanwhile', () => {
    const { history, command, why } = story()
    history.publish('m1').deliver(1, 'm1', 'a').deliver(2, 'm1', 'b')
    command('a', 'SET k1 taken', OK)
    history.send(1, 1).apply(1).done(1)
    command('b', 'SET k1 taken', OK)
    history.send(2, 2).apply(2)
    expect(why('duplicate')).toBe(
      "another attempt was done after this one had begun, and this one's SET wrote over the record of it",
    )
  })

  it('is a refused claim whose following read found the other claim gone', () => {
    const { history, command, why } = story()
    history.publish('m1').deliver(1, 'm1', 'a').deliver(2, 'm1', 'b')
    command('a', 'SET k1 taken EX 5 NX', OK)
    history.send(1, 1).apply(1)
    command('b', 'SET k1 taken EX 5 NX', null)
    history.loseData('expiry', ['k1'])
    command('b', 'GET k1', null)
    history.send(2, 2).apply(2)
    expect(why('zombie')).toBe(
      'its claim was refused, the other claim had expired when it looked, and it went on as if it held the key',
    )
  })

  it('is a process that died before it had recorded its effect, with the fate of its claim', () => {
    const died = (expires: boolean) => {
      const { history, command, why } = story()
      history.publish('m1').deliver(1, 'm1', 'a')
      command('a', 'SET k1 taken EX 5 NX', OK)
      history.send(1, 1).apply(1).crash('a').at(5_000)
      if (expires) history.loseData('expiry', ['k1'])
      history.deliver(2, 'm1', 'b', 2)
      command('b', expires ? 'SET k1 taken EX 5 NX' : 'GET k1', expires ? OK : 'taken')
      history.send(2, 2).apply(2)
      return why('repeat-after-crash')
    }
    const dead = 'the process died after it had sent the effect and before it had recorded it; '
    expect(died(true)).toBe(`${dead}the claim expired after 5 s, and the next attempt found the key free`)
    expect(died(false)).toBe(`${dead}the next attempt found what was there (GET answered taken), and performed anyway`)
  })

  it('is an error mistaken for a failure, after which the claim was released', () => {
    const failed = (deletedBy: string, kind = 'repeat-after-error') => {
      const { history, command, why } = story()
      history.publish('m1').deliver(1, 'm1', 'a')
      if (kind === 'zombie') history.deliver(2, 'm1', 'b', 2)
      command('a', 'SET k1 taken NX', OK)
      history.send(1, 1).apply(1).notifyCaller(1, 'error')
      command(deletedBy, 'DEL k1', 1)
      history.throw(1)
      if (kind !== 'zombie') history.deliver(2, 'm1', 'b', 2)
      command('b', 'SET k1 taken NX', OK)
      history.send(2, 2).apply(2)
      return why(kind)
    }
    const reported = "the sink's answer to the first attempt was an error, though the effect was applied; "
    expect(failed('a')).toBe(`${reported}the layer treated that as a failure and deleted its claim`)
    expect(failed('c')).toBe(`${reported}DEL of c deleted the claim, and the next attempt found the key free`)
    expect(failed('a', 'zombie')).toBe(failed('a'))
    expect(failed('c', 'zombie')).not.toContain('treated that as a failure')
  })

  it('is an attempt that gave up if the error of the sink came later', () => {
    const failed = (when: 'before it ends' | 'after it ends') => {
      const { history, command, why } = story()
      history.publish('m1').deliver(1, 'm1', 'a')
      command('a', 'SET k1 taken NX', OK)
      history.send(1, 1).apply(1)
      if (when === 'before it ends') history.notifyCaller(1, 'error')
      command('a', 'DEL k1', 1)
      history.throw(1).deliver(2, 'm1', 'b', 2)
      if (when === 'after it ends') history.notifyCaller(1, 'error')
      command('b', 'SET k1 taken NX', OK)
      history.send(2, 2).apply(2)
      return why('repeat-after-error')
    }
    expect(failed('before it ends')).toContain("the sink's answer to the first attempt was an error")
    expect(failed('after it ends')).toBe(
      'the first attempt gave up before the sink had answered it; it deleted its claim',
    )
  })

  it('is a lease that ended while its holder was paused and did not check again', () => {
    const late = (how: 'paused' | 'slow' | 'asks again') => {
      const { history, command, why } = story()
      history.publish('m1').deliver(1, 'm1', 'a')
      command('a', 'SET k1 a EX 1 NX', OK)
      if (how === 'paused') history.pause('a')
      history.at(1_000).loseData('expiry', ['k1']).deliver(2, 'm1', 'b', 2)
      command('b', 'SET k1 b EX 1 NX', OK)
      history.send(2, 2).apply(2).done(2)
      if (how === 'paused') history.resume('a')
      if (how === 'asks again') command('a', 'GET k1', 'b')
      history.send(1, 1).apply(1)
      return why('zombie')
    }
    const end = 'and no command checked it again before the effect'
    expect(late('paused')).toBe(`the lease ended while the holder stalled, ${end}`)
    expect(late('slow')).toBe(`the lease ended while the holder was still at work, ${end}`)
    expect(late('asks again')).not.toContain('no command checked it again')
  })

  it('is a claim that expired during the effect, or early by a fast clock of Redis', () => {
    const taken = (expiresAtMs: number) => {
      const { history, command, why } = story()
      history.publish('m1').deliver(1, 'm1', 'a')
      command('a', 'SET k1 a EX 5 NX', OK)
      history.send(1, 1).at(expiresAtMs).loseData('expiry', ['k1']).deliver(2, 'm1', 'b', 2)
      command('b', 'SET k1 b EX 5 NX', OK)
      history.send(2, 2).apply(1).apply(2)
      return why('zombie')
    }
    expect(taken(5_000)).toBe(
      'the claim expired after 5 s, while the effect of its holder was still under way, and the next attempt took the key',
    )
    expect(taken(1_000)).toBe(
      "the claim expired early, because Redis's clock went ahead, while its holder was at work, and the next attempt took the key",
    )
  })

  it('is a claim that expired before or after the effect was applied, or a record of it', () => {
    /** The claim lives for 5 s. Its expiry is reported at 6 s. */
    const taken = (steps: Readonly<Record<number, 'applied' | 'answered' | 'renewed' | 'recorded' | 'put back'>>) => {
      const { history, command, why } = story()
      history.publish('m1').deliver(9, 'm1', 'a').send(9, 9).notifyCaller(9, 'error').throw(9).deliver(1, 'm1', 'a', 2)
      command('a', 'SET k1 a EX 5 NX', OK)
      history.send(1, 1)
      for (const atMs of [1, 2, 3, 5_500, 5_501, 6_000, 7_000, 7_001]) {
        history.at(atMs)
        const step = steps[atMs]
        if (step === 'applied') history.apply(1)
        if (step === 'answered') history.notifyCaller(1, 'receipt')
        if (step === 'renewed') command('a', 'PEXPIRE k1 2500', 1)
        if (step === 'recorded') command('a', 'SET k1 done EX 1', OK)
        if (step === 'put back') history.strike('clock-step')
        if (atMs !== 6_000) continue
        history.loseData('expiry', ['k1']).deliver(2, 'm1', 'b', 3)
        command('b', 'SET k1 b EX 5 NX', OK)
        history.send(2, 2).apply(2)
      }
      return why('zombie')
    }
    const reported = (how: string, after = ' after 5 s') =>
      `the claim expired${after}, ${how}, and the next attempt took the key`
    const unheard = 'before its holder had the receipt of its effect'
    const underWay = 'while the effect of its holder was still under way'
    const atWork = 'while its holder was still at work'
    expect(taken({ 1: 'applied' })).toBe(reported(unheard))
    expect(taken({ 1: 'applied', 7000: 'answered' })).toBe(reported(unheard))
    expect(taken({ 1: 'applied', 5500: 'answered' })).toBe(reported(unheard))
    expect(taken({ 1: 'applied', 2: 'answered' })).toBe(reported(atWork))
    expect(taken({ 5500: 'applied', 5501: 'answered' })).toBe(reported(underWay))
    expect(taken({ 7000: 'applied' })).toBe(reported(underWay))
    // A renewed claim, or one whose clock was set back, may have lived until 6 s.
    expect(taken({ 1: 'applied', 3: 'renewed', 7000: 'answered' })).toBe(reported(unheard, ''))
    expect(taken({ 2: 'put back', 5500: 'applied', 5501: 'answered' })).toBe(reported(atWork))
    expect(taken({ 1: 'applied', 2: 'answered', 3: 'recorded' })).toBe(
      'the record expired after 1 s, while the first attempt was still at work, and the next attempt took the key',
    )
  })

  it('is the expiry during work if either of two deliveries in a process may have taken the step', () => {
    const beside = (expires: boolean) => {
      const { history, command, why } = story()
      history.publish('m1').deliver(1, 'm1', 'a').send(1, 1).at(1_000)
      if (expires) history.loseData('expiry', ['lock:k1'])
      history.deliver(2, 'm1', 'b', 2).deliver(3, 'm1', 'b', 3)
      command('b', 'EVALSHA acquire 1 lock:k1', 'held')
      history.send(2, 2).apply(1).apply(2)
      return why('zombie')
    }
    expect(beside(true)).toBe('the data of the key expired while an attempt was at work, and two attempts performed')
    expect(beside(false)).toBe('something happened')
  })

  it('is a record that expired after the first attempt had finished', () => {
    const { history, command, why } = story({ retentionMs: 86_400_000 })
    history.publish('m1').deliver(1, 'm1', 'a').send(1, 1).apply(1).notifyCaller(1, 'receipt')
    command('a', 'SET k1 done EX 3600', OK)
    history.done(1).at(3_600_000).loseData('expiry', ['k1']).deliver(2, 'm1', 'b', 2)
    command('b', 'GET k1', null)
    history.send(2, 2).apply(2)
    expect(why('repeat-after-loss:expiry')).toBe(
      'the record expired after 1 h, while deliveries of the message still came',
    )
  })

  it('is a claim that was deleted, by its own attempt or by another one', () => {
    const deleted = (by: string) => {
      const { history, command, why } = story()
      history.publish('m1').deliver(1, 'm1', 'a')
      command('a', 'SET k1 a NX', OK)
      history.send(1, 1).apply(1)
      command(by, 'DEL k1', 1)
      history.done(1).deliver(2, 'm1', 'b', 2)
      command('b', 'SET k1 b NX', OK)
      history.send(2, 2).apply(2)
      return why('duplicate')
    }
    expect(deleted('a')).toBe(
      'the first attempt deleted its claim when it was done, and no record of the effect was left for the next attempt',
    )
    expect(deleted('c')).toBe(
      'DEL of one attempt (c) deleted the claim of another (a), and the next attempt found the key free',
    )
  })

  it('is a store that lost the record, with the reason why the promoted server lacked it', () => {
    const lost = (defects?: ['mid-resync']) => {
      const { history, why } = story()
      history.publish('m1').deliver(1, 'm1', 'a').send(1, 1).apply(1).done(1)
      const sentence = 'redis-2 is promoted'
      history.add({
        type: 'topology',
        node: 'redis-2',
        what: 'promoted',
        other: 'redis',
        sentence,
        ...(defects && { defects }),
      })
      history.loseData('failover', ['k1']).deliver(2, 'm1', 'b', 2).send(2, 2).apply(2)
      return why('repeat-after-loss:failover', 'effect-applied', 'data-lost')
    }
    const promoted = 'the failover promoted a server that did not have the data of the key'
    expect(lost()).toBe(`${promoted}; so the next attempt performed again`)
    expect(lost(['mid-resync'])).toBe(
      `${promoted}, since it was in the middle of a full resync; so the next attempt performed again`,
    )
  })

  it('is not a loss if the attempt had read before the write, or the record had been deleted', () => {
    const lost = (how: 'written, then looked' | 'looked, then written' | 'written and deleted, then looked') => {
      const { history, command, why } = story()
      history.publish('m1').deliver(1, 'm1', 'a').deliver(2, 'm1', 'b', 2)
      command('a', 'GET k1', null)
      if (how === 'looked, then written') command('b', 'GET k1', null)
      history.loseData('split-brain', ['k1'])
      command('a', 'SET k1 processing', OK)
      history.send(1, 1).apply(1)
      if (how === 'written and deleted, then looked') {
        history.notifyCaller(1, 'error')
        command('a', 'DEL k1', 1)
        history.throw(1)
      }
      if (how !== 'looked, then written') command('b', 'GET k1', null)
      command('b', 'SET k1 processing', OK)
      history.send(2, 2).apply(2)
      return why('repeat-after-loss:split-brain', 'effect-applied', 'data-lost')
    }
    expect(lost('written, then looked')).toContain('went to a primary that had been replaced already')
    expect(lost('looked, then written')).toMatch(/^both attempts looked \(GET\) before either had written/)
    expect(lost('written and deleted, then looked')).toBe(
      "the sink's answer to the first attempt was an error, though the effect was applied; the layer treated that as a failure and deleted its claim",
    )
  })
})
