/** If a message has two keys, the cause names the right one. Facts about a loss come first. */
import { OK } from 'redis-sim/resp'
import { describe, expect, it } from 'vitest'
import { moralOf } from '../../../src/check/remedies.ts'
import { story } from './story.ts'

describe('two keys of one message', () => {
  it('are an expired record and a released lock: the cause is the record', () => {
    const { history, command, why } = story({ retentionMs: 86_400_000 })
    history.publish('m1').deliver(1, 'm1', 'a')
    command('a', 'GET done:k1', null)
    command('a', 'SET lock:k1 a PX 500 NX', OK)
    history.send(1, 1).apply(1).notifyCaller(1, 'receipt')
    command('a', 'SET done:k1 1 PX 10000', OK)
    command('a', 'DEL lock:k1', 1)
    history.done(1).at(20_000).loseData('expiry', ['done:k1']).deliver(2, 'm1', 'b', 2)
    command('b', 'GET done:k1', null)
    command('b', 'SET lock:k1 b PX 500 NX', OK)
    history.send(2, 2).apply(2)
    expect(why('repeat-after-loss:expiry')).toBe(
      'the record expired after 10 s, while deliveries of the message still came',
    )
  })

  it('do not hide that a message was older than the retention', () => {
    const { history, command, why } = story({ retentionMs: 3_600_000 })
    history.publish('m1').deliver(1, 'm1', 'a')
    command('a', 'SET done:k1 started PX 7200000 NX', OK)
    history.send(1, 1).apply(1).done(1).at(9_000_000).loseData('expiry', ['done:k1']).deliver(2, 'm1', 'b', 2)
    command('b', 'SET done:k1 started PX 7200000 NX', OK)
    history.send(2, 2).apply(2)
    const cause = why('repeat-after-loss:expiry')
    expect(cause).toBe(
      'the record expired after 2 h, and a message that was older than the retention of 1 h was performed again',
    )
    expect(moralOf('repeat-after-loss:expiry', null, cause)).toMatch(
      /^Dead-letter a message that is older than the retention/,
    )
  })

  it('do not include a digest of the payload, which stops no attempt', () => {
    const { history, command, why } = story()
    history.publish('m1').deliver(1, 'm1', 'a')
    command('a', 'SET print:k1 5f PX 20000 NX', OK)
    command('a', 'SETNX busy:k1 1', 1)
    history.send(1, 1).apply(1)
    command('a', 'DEL busy:k1', 1)
    history.done(1).at(30_000).loseData('expiry', ['print:k1']).deliver(2, 'm1', 'b', 2)
    command('b', 'SET print:k1 5f PX 20000 NX', OK)
    command('b', 'GET print:k1', '5f')
    command('b', 'SETNX busy:k1 1', 1)
    history.send(2, 2).apply(2)
    expect(why('repeat-after-loss:expiry', 'effect-applied', 'data-lost')).toMatch(
      /^the first attempt deleted its claim when it was done, /,
    )
  })

  it('are younger than the retention only if the produced-at time is right', () => {
    const { history, command, why } = story({ retentionMs: 3_600_000 })
    history.publish('m1', { producedAtOffMs: 7_200_000 }).deliver(1, 'm1', 'a')
    command('a', 'SET done:k1 started PX 7200000 NX', OK)
    history.send(1, 1).apply(1).done(1).at(9_000_000).loseData('expiry', ['done:k1']).deliver(2, 'm1', 'b', 2)
    command('b', 'SET done:k1 started PX 7200000 NX', OK)
    history.send(2, 2).apply(2)
    const cause = why('repeat-after-loss:expiry')
    expect(cause).toMatch(/its produced-at time, 2 h ahead, made it younger than the retention of 1 h$/)
    expect(moralOf('repeat-after-loss:expiry', null, cause)).toMatch(/^A produced-at time may be wrong/)
  })

  it('mention a produced-at time in the future, even if a script wrote them', () => {
    const copied = (producedAtOffMs: number) => {
      const { history, command, why } = story({ retentionMs: 3_600_000 })
      history.publish('m1', { producedAtOffMs }).deliver(1, 'm1', 'a')
      command('a', 'EVALSHA begin 1 done:k1', 1)
      history.send(1, 1).apply(1).done(1).at(9_000_000).loseData('expiry', ['done:k1']).deliver(2, 'm1', 'b', 2)
      command('b', 'EVALSHA begin 1 done:k1', 1)
      history.send(2, 2).apply(2)
      return why('repeat-after-loss:expiry', 'effect-applied', 'data-lost')
    }
    expect(copied(7_200_000)).toMatch(
      / expired after the first attempt was done, and a message was performed again: its produced-at time, 2 h ahead, made it younger than the retention of 1 h$/,
    )
    expect(copied(1000)).toMatch(/after the first attempt was done, while deliveries of the message still came$/)
  })

  it('are a record and a failed attempt that wrote over it', () => {
    const written = (over: string) => {
      const { history, command, why } = story()
      history.publish('m1').deliver(1, 'm1', 'a')
      command('a', 'SETNX k1 5', 1)
      history.send(1, 1).apply(1).notifyCaller(1, 'receipt')
      command('a', 'SET k1 done', OK)
      history.done(1).deliver(2, 'm1', 'b', 2)
      command('b', over, 'done')
      history.answer(2, { status: 'retry' }).deliver(3, 'm1', 'c', 3)
      command('c', 'GET k1', '7')
      command('c', 'GETSET k1 8', '7')
      history.send(3, 3).apply(3)
      return why('duplicate')
    }
    expect(written('GETSET k1 7')).toBe(
      'GETSET of another attempt wrote over the record of the effect, and the next attempt found no record of it',
    )
    expect(written('GET k1')).not.toContain('wrote over the record')
  })

  it('are an expired lock and a record not yet written: the cause is the lock', () => {
    const { history, command, why } = story()
    history.publish('m1').deliver(1, 'm1', 'a')
    command('a', 'SET lock:k1 a PX 500 NX', OK)
    command('a', 'HGET job:k1 state', null)
    history.send(1, 1).at(1_000).loseData('expiry', ['lock:k1']).deliver(2, 'm1', 'b', 2)
    command('b', 'SET lock:k1 b PX 500 NX', OK)
    command('b', 'HGET job:k1 state', null)
    history.send(2, 2).apply(1).apply(2)
    expect(why('zombie')).toContain('the claim expired after 500 ms, while')
  })

  it('are a lock that expired under its holder, which then read another key', () => {
    const late = (asked: string) => {
      const { history, command, why } = story()
      history.publish('m1').deliver(1, 'm1', 'a')
      command('a', 'SET lock:k1 a PX 500 NX', OK)
      history.at(1_000).loseData('expiry', ['lock:k1']).deliver(2, 'm1', 'b', 2)
      command('b', 'SET lock:k1 b PX 500 NX', OK)
      history.send(2, 2).apply(2).done(2)
      command('a', asked, null)
      history.send(1, 1).apply(1)
      return why('zombie')
    }
    const ended = 'the lease ended while the holder was still at work'
    expect(late('HGET job:k1 state')).toBe(`${ended}, and it did not check its claim again before the effect`)
    expect(late('GET lock:k1')).not.toContain(ended)
  })

  it('are a lost record, although an older value was found there', () => {
    const found = (value: string) => {
      const { history, command, why } = story()
      history.publish('m1').deliver(1, 'm1', 'a')
      command('a', 'HSET job:k1 state running', 1)
      history.send(1, 1).apply(1).notifyCaller(1, 'receipt')
      command('a', 'HSET job:k1 state done', 0)
      history.done(1).loseData('failover', ['job:k1']).deliver(2, 'm1', 'b', 2)
      command('b', 'HGET job:k1 state', value)
      history.send(2, 2).apply(2)
      return why('repeat-after-loss:failover', 'effect-applied', 'data-lost')
    }
    expect(found('running')).toMatch(/^the failover promoted a server that did not have the data/)
    expect(found('done')).not.toContain('failover')
  })

  it('have the same cause if a second message has another payload', () => {
    const { history, command, why } = story()
    history.publish('m1').publish('m2', { fingerprint: 'pay 2' }).deliver(1, 'm1', 'a')
    command('a', 'SET lock:k1 a PX 500 NX', OK)
    history.send(1, 1).at(1_000).loseData('expiry', ['lock:k1']).deliver(2, 'm2', 'b')
    command('b', 'SET lock:k1 b PX 500 NX', OK)
    history.send(2, 2).apply(1).apply(2)
    expect(why('executed-with-another-payload')).toMatch(
      /^the claim expired after 500 ms, .*; the second message had another payload$/,
    )
  })

  it('are a record that decides an answer, and a lock that is released before it', () => {
    const { history, command, why } = story()
    history.publish('m1').publish('m2', { fingerprint: 'pay 2' }).deliver(1, 'm1', 'a').send(1, 1).apply(1).done(1)
    history.deliver(2, 'm2', 'b')
    command('b', 'SET lock:k1 b NX', OK)
    command('b', 'HGET job:k1 state', 'done')
    command('b', 'EVALSHA release 1 lock:k1 b', 1)
    history.done(2)
    expect(why('answered-as-if-the-same', 'answered')).toContain('(HGET answered done)')
  })
})

describe('a read on another server', () => {
  const asked = (node: string) => {
    const { history, command, why } = story()
    const on = (server: string) => history.add({ type: 'command', process: 'a', command: '', reply: '', node: server })
    history.publish('m1').deliver(1, 'm1', 'a').send(1, 1).apply(1).notifyCaller(1, 'receipt')
    on('redis-1')
    command('a', 'SET done:k1 1', OK)
    history.done(1).deliver(2, 'm1', 'b', 2)
    on(node)
    command('b', 'GET done:k1', null)
    history.send(2, 2).apply(2)
    return why('duplicate')
  }

  it('names both servers', () => {
    expect(asked('redis-2')).toBe(
      'GET of the next attempt asked redis-2, which lacked the write of the first attempt to redis-1; so the next attempt performed again',
    )
    expect(asked('redis-1')).not.toContain('asked')
    expect(moralOf('duplicate', null, asked('redis-2'))).toContain('a replica may be behind')
  })
})

describe('a claim that is gone when it is released', () => {
  const answered = (how: 'expired' | 'reply lost') => {
    const { history, command, why } = story()
    history.publish('m1').deliver(1, 'm1', 'a')
    command('a', 'SET queued:k1 a PX 500 NX', OK)
    if (how === 'expired') history.at(1_000).loseData('expiry', ['queued:k1'])
    else {
      command('a', 'DEL queued:k1', 1)
      history.add({ type: 'reply-lost', process: 'a', command: 'DEL' })
    }
    command('a', 'DEL queued:k1', 0)
    history.done(1, null).rest()
    return why('done-without-effect', 'answered')
  }

  it('decides an answer', () => {
    const ends = 'answered done without an effect'
    expect(answered('expired')).toBe(
      `the claim of the attempt had expired after 500 ms when it released the claim (DEL answered 0), and it ${ends}`,
    )
    expect(answered('reply lost')).toBe(
      `the reply to DEL was lost, its command was sent again (DEL answered 0), and the attempt ${ends}`,
    )
  })
})

describe('members of one set', () => {
  const repeated = (removed: string) => {
    const { history, command, why } = story()
    history.publish('m1').publish('m2', { key: 'k2' }).deliver(1, 'm1', 'a')
    command('a', 'ZADD markers 7 marker:k1', 1)
    history.send(1, 1).apply(1).done(1)
    command('c', `ZREM markers ${removed}`, 1)
    history.deliver(2, 'm1', 'b', 2)
    command('b', 'ZSCORE markers marker:k1', null)
    history.send(2, 2).apply(2)
    return why('duplicate')
  }

  it('can be removed by score', () => {
    const removed = (max: string) => {
      const { history, command, why } = story()
      history.publish('m1').deliver(1, 'm1', 'a')
      command('a', 'ZADD seen NX 7 k1', 1)
      history.send(1, 1).apply(1).done(1)
      command('c', `ZREMRANGEBYSCORE seen -inf ${max}`, 1)
      history.deliver(2, 'm1', 'b', 2)
      command('b', 'ZADD seen NX 9 k1', 1)
      history.send(2, 2).apply(2)
      return why('duplicate')
    }
    expect(removed('8')).toContain('ZREMRANGEBYSCORE of one attempt (c) deleted the claim of another (a)')
    expect(removed('6')).not.toContain('deleted')
  })

  it('are distinguished', () => {
    expect(repeated('marker:k1')).toBe(
      'ZREM of one attempt (c) deleted the claim of another (a), and the next attempt found the key free',
    )
    expect(repeated('marker:k2')).not.toContain('deleted')
  })
})
