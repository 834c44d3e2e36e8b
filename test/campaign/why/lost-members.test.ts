/** A store that lost a structure with a member for each message: what may be said of it, and what is no reason. */
import { expect, it } from 'vitest'
import { insteadOf } from '../../../src/contract/remedy-page.ts'
import { type Reply, StatusReply } from '../../../src/sim/lua/reply.ts'
import { story } from './story.ts'

type Words = readonly (readonly [words: string, reply: Reply])[]
interface Told {
  readonly first: Words
  readonly again?: Words
  readonly between?: Words
  readonly beside?: 'k1' | 'k2'
  readonly fails?: boolean
  readonly cause?: 'flush' | 'expiry' | 'split-brain'
}

/** The first attempt performs, Redis loses `seen`, and the next attempt asks again and performs. */
function lost({ first, again = first, between = [], beside, fails = false, cause = 'flush' }: Told) {
  const { history, command, why } = story()
  history.publish('m1').publish('m2', { key: 'k2' }).publish('m3').deliver(1, 'm1', 'a')
  for (const [words, reply] of first) command('a', words, reply)
  history.send(1, 1).apply(1)
  if (fails) history.throw(1)
  else history.done(1)
  for (const [words, reply] of between) command('c', words, reply)
  history.at(50).loseData(cause, ['seen'])
  if (beside !== undefined) history.deliver(3, beside === 'k1' ? 'm3' : 'm2', 'b')
  history.deliver(2, 'm1', 'b', 2)
  for (const [words, reply] of again) command('b', words, reply)
  history.send(2, 2).apply(2)
  return why('duplicate')
}

const QUEUED = new StatusReply('QUEUED')
const OK = new StatusReply('OK')
const inMulti = (words: string, reply: Reply): Words => [
  ['MULTI', OK],
  [words, QUEUED],
  ['EXPIRE seen 100', QUEUED],
  ['EXEC', [reply, 1]],
]

const reason = 'Redis was emptied, and what had been written for the key with it; so the next attempt performed again'

it('a member that was claimed, or looked for, is the reason where nothing else was asked', () => {
  expect(lost({ first: [['ZADD seen NX 7 k1', 1]] })).toBe(reason)
  expect(lost({ first: inMulti('HSETNX seen k1 a', 1) })).toBe(reason)
  const looks: Words = [
    ['SISMEMBER seen k1', 0],
    ['SADD seen k1', 1],
  ]
  expect(lost({ first: looks, again: looks.slice(0, 1) })).toBe(reason)
})

it('where the layer may only have counted, the cause says that it was lost, and what was answered', () => {
  const then = (words: string, reply: Reply) => lost({ first: [[words, reply]] })
  const told = (what: string, answer: string) =>
    `Redis was emptied, and what ${what} with it; ${answer.replace(' ', ' of the next attempt then answered ')}`
  expect(then('SADD seen k1', 1)).toBe(told('had been written for the key', 'SADD 1'))
  expect(then('PFADD seen k1', 1)).toBe(told('had been written for the key', 'PFADD 1'))
  expect(then('SETBIT seen 12 1', 0)).toBe(told('the first attempt had written', 'SETBIT 0'))
  expect(then('INCR seen', 1)).toBe(told('the first attempt had written', 'INCR 1'))
  expect(insteadOf('duplicate', then('SETBIT seen 12 1', 0))).toBe(insteadOf('repeat-after-loss'))
  expect(insteadOf('duplicate', 'the last effect was sent after SETBIT had answered 0')).toBe(insteadOf('duplicate'))
})

it('nothing is said where another delivery may have asked', () => {
  expect(lost({ first: [['ZADD seen NX 7 k1', 1]], beside: 'k1' })).not.toContain('emptied')
  expect(lost({ first: [['ZADD seen NX 7 k1', 1]], beside: 'k2' })).toBe(reason)
  expect(lost({ first: [['SETBIT seen 12 1', 0]], beside: 'k2' })).not.toContain('emptied')
})

it('nor where it was of another message, had been removed, or was over by then', () => {
  const first: Words = [['ZADD seen NX 7 k1', 1]]
  const isTold = (changes: Partial<Told>) => lost({ first, ...changes }).includes('what had been written')
  expect(isTold({ again: [['ZADD seen NX 9 k2', 1]] })).toBe(false)
  expect(isTold({ first: [['ZADD seen NX 7 k2', 1]], again: first })).toBe(false)
  for (const [words, reply] of [
    ['ZREM seen k1', 1],
    ['ZREMRANGEBYSCORE seen 0 8', 1],
    ['EXPIRE seen 0', 1],
    ['EVALSHA trim 1 seen', 1],
  ] as const)
    expect(isTold({ between: [[words, reply]] })).toBe(false)
  for (const words of ['ZREM seen k2', 'ZREMRANGEBYSCORE seen 0 6', 'EXPIRE seen 100'])
    expect(isTold({ between: [[words, 1]] })).toBe(true)
  expect(isTold({ cause: 'expiry' })).toBe(false)
})

it('nor where the first attempt failed, and may have left word of that in its field', () => {
  const first: Words = [
    ['HSETNX seen k1 begun', 1],
    ['HSET seen k1 over', 0],
  ]
  const again = first.slice(0, 1)
  expect(lost({ first, again })).toBe(reason)
  expect(lost({ first, again, fails: true })).not.toContain('emptied')
  expect(lost({ first: again, again, fails: true })).toBe(reason)
})

it('nor where the attempt asked for something else as well, or wrote to a server that nobody knows', () => {
  const first: Words = [['ZADD seen NX 7 k1', 1]]
  expect(lost({ first, again: [['GET lock:k1', null], ...first] })).not.toContain('emptied')
  expect(lost({ first, cause: 'split-brain' })).not.toContain('thrown away')
})

it('of several servers, it is said only where the one that was asked is one that did not have it', () => {
  const told = (written: string, asked: string, cause: 'split-brain' | 'failover' | 'restart', node: string) => {
    const { history, command, why } = story()
    const zadd = (process: string, on: string) => {
      history.add({ type: 'command', process, command: 'ZADD seen NX 7 k1', reply: '1', node: on })
      command(process, 'ZADD seen NX 7 k1', 1)
    }
    history.publish('m1').deliver(1, 'm1', 'a')
    zadd('a', written)
    history
      .send(1, 1)
      .apply(1)
      .done(1)
      .add({ type: 'data-lost', node, cause, redisKeys: ['seen'] })
    history.deliver(2, 'm1', 'b', 2)
    zadd('b', asked)
    history.send(2, 2).apply(2)
    return why('duplicate').endsWith('; so the next attempt performed again')
  }
  expect(told('redis-1', 'redis-3', 'split-brain', 'redis-1')).toBe(true)
  expect(told('redis-2', 'redis-1', 'split-brain', 'redis-1')).toBe(false)
  expect(told('redis-1', 'redis-2', 'failover', 'redis-2')).toBe(true)
  expect(told('redis-1', 'redis-3', 'failover', 'redis-2')).toBe(false)
  expect(told('redis-1', 'redis-1', 'restart', 'redis-1')).toBe(true)
  expect(told('redis-2', 'redis-1', 'restart', 'redis-1')).toBe(false)
})
