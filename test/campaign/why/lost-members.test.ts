/**
 * A store lost a structure with a member for each message. The cause may state this only under some
 * conditions.
 */

import { type Reply, StatusReply } from 'redis-sim/resp'
import { describe, expect, it } from 'vitest'
import { whyOf } from '../../../src/campaign/causes/why/why.ts'
import { insteadOf } from '../../../src/contract/results/remedy-page.ts'
import { story } from './story.ts'

type Words = readonly (readonly [words: string, reply: Reply])[]
interface Reported {
  readonly kind?: string
  readonly first: Words
  /** Commands of the first attempt after its effect. */
  readonly after?: Words
  /** Commands before all others. */
  readonly ahead?: Words
  readonly again?: Words
  readonly between?: Words
  readonly beside?: 'k1' | 'k2'
  readonly ends?: 'done' | 'fails' | 'dies' | 'works on'
  readonly againMs?: number
  readonly ofSeveral?: boolean
  readonly isHeard?: boolean
  readonly clockMoves?: boolean
  readonly cause?: 'flush' | 'expiry' | 'split-brain'
}

/** The first attempt performs, Redis loses `seen`, and the next attempt asks again and performs. */
function lost(reported: Reported) {
  const {
    first,
    again = first,
    after = [],
    ahead = [],
    between = [],
    beside,
    ends = 'done',
    cause = 'flush',
  } = reported
  const { history, command, why } = story()
  const send = (process: string, all: Words) => {
    for (const [words, reply] of all) command(process, words, reply)
  }
  send('c', ahead)
  history.publish('m1').publish('m2', { key: 'k2' }).publish('m3').deliver(1, 'm1', 'a')
  if (reported.clockMoves) history.strike('clock-step')
  if (reported.ofSeveral) history.deliver(4, 'm3', 'a')
  send('a', first)
  history.send(1, 1, { unknownDelivery: reported.ofSeveral ?? false }).apply(1)
  if (reported.isHeard) history.notifyCaller(1, 'receipt')
  send('a', after)
  if (ends === 'fails') history.throw(1)
  if (ends === 'dies') history.crash('a')
  if (ends === 'done') history.done(1)
  send('c', between)
  history.at(reported.againMs ?? 50).loseData(cause, ['seen'])
  if (beside !== undefined) history.deliver(3, beside === 'k1' ? 'm3' : 'm2', 'b')
  history.deliver(2, 'm1', 'b', 2)
  send('b', again)
  history.send(2, 2).apply(2)
  return why(reported.kind ?? 'duplicate')
}

const QUEUED = new StatusReply('QUEUED')
const OK = new StatusReply('OK')
const inMulti = (words: string, reply: Reply): Words => [
  ['MULTI', OK],
  [words, QUEUED],
  ['EXPIRE seen 100', QUEUED],
  ['EXEC', [reply, 1]],
]

const reason = 'Redis was emptied, and the data written for the key with it; so the next attempt performed again'

it('a lost member that was claimed or read is the reason if nothing else was read', () => {
  expect(lost({ first: [['ZADD seen NX 7 k1', 1]] })).toBe(reason)
  expect(lost({ first: inMulti('HSETNX seen k1 a', 1) })).toBe(reason)
  const looks: Words = [
    ['SISMEMBER seen k1', 0],
    ['SADD seen k1', 1],
  ]
  expect(lost({ first: looks, again: looks.slice(0, 1) })).toBe(reason)
})

it('the cause reports the loss and the reply if the layer may only have counted', () => {
  const then = (words: string, reply: Reply) => lost({ first: [[words, reply]] })
  const reported = (what: string, answer: string) =>
    `Redis was emptied, and the data ${what} with it; ${answer.replace(' ', ' of the next attempt then answered ')}`
  expect(then('SADD seen k1', 1)).toBe(reported('written for the key', 'SADD 1'))
  expect(then('PFADD seen k1', 1)).toBe(reported('written for the key', 'PFADD 1'))
  expect(then('SETBIT seen 12 1', 0)).toBe(reported('of the first attempt', 'SETBIT 0'))
  expect(then('INCR seen', 1)).toBe(reported('of the first attempt', 'INCR 1'))
  expect(insteadOf('duplicate', then('SETBIT seen 12 1', 0))).toBe(insteadOf('repeat-after-loss'))
  expect(insteadOf('duplicate', 'the last effect was sent after SETBIT had answered 0')).toBe(insteadOf('duplicate'))
})

it('the cause omits the loss if another delivery may have asked', () => {
  expect(lost({ first: [['ZADD seen NX 7 k1', 1]], beside: 'k1' })).not.toContain('emptied')
  expect(lost({ first: [['ZADD seen NX 7 k1', 1]], beside: 'k2' })).toBe(reason)
  expect(lost({ first: [['SETBIT seen 12 1', 0]], beside: 'k2' })).not.toContain('emptied')
})

it('the cause omits a member of another message, or one that was removed or had ended', () => {
  const first: Words = [['ZADD seen NX 7 k1', 1]]
  const isReported = (changes: Partial<Reported>) => lost({ first, ...changes }).includes('the data written for')
  expect(isReported({ again: [['ZADD seen NX 9 k2', 1]] })).toBe(false)
  expect(isReported({ first: [['ZADD seen NX 7 k2', 1]], again: first })).toBe(false)
  for (const [words, reply] of [
    ['ZREM seen k1', 1],
    ['ZREMRANGEBYSCORE seen 0 8', 1],
    ['EXPIRE seen 0', 1],
    ['EVALSHA trim 1 seen', 1],
  ] as const)
    expect(isReported({ between: [[words, reply]] })).toBe(false)
  for (const words of ['ZREM seen k2', 'ZREMRANGEBYSCORE seen 0 6', 'EXPIRE seen 100'])
    expect(isReported({ between: [[words, 1]] })).toBe(true)
  expect(isReported({ cause: 'expiry' })).toBe(false)
})

it('the cause omits the loss if a failed or dead attempt may have released the key', () => {
  const claimed = (words: string): Words => [[words, 1]]
  const claims = { hash: claimed('HSETNX seen k1 begun'), set: claimed('ZADD seen NX 7 k1') }
  const reported = (of: 'hash' | 'set', after: Words, ends: Reported['ends'] = 'fails') => {
    const kind = ends === 'dies' ? 'repeat-after-crash' : 'repeat-after-error'
    return lost({ first: claims[of], after, ends, kind })
  }
  const wordsOfFailure: readonly (readonly ['hash' | 'set', Words])[] = [
    ['hash', [['HSET seen k1 failed', 0]]],
    ['hash', [['HSET seen k1 failed k1:at 7', 1]]],
    ['hash', [['HMSET seen k1 failed', OK]]],
    [
      'hash',
      [
        ['HSET seen k1 failed', 0],
        ['HGET seen k1', 'failed'],
      ],
    ],
    ['hash', [['SET state:k1 failed', OK]]],
    ['hash', [['EVALSHA fail 0 k1', 1]]],
    ['set', [['ZADD seen 0 k1', 0]]],
    ['set', [['ZADD seen XX 0 k1', 0]]],
  ]
  for (const [of, after] of wordsOfFailure)
    for (const ends of ['fails', 'dies'] as const) expect(reported(of, after, ends)).not.toContain('emptied')
})

it('the cause reports the loss if a failed attempt left its claim, or a finished one wrote more', () => {
  const first: Words = [['HSETNX seen k1 begun', 1]]
  const looks: Words = [
    ['HGET seen k1', 'begun'],
    ['HDEL seen k2', 1],
    ['SADD other k2', 1],
    ['PING', OK],
  ]
  expect(lost({ first, after: looks, ends: 'fails' })).toBe(reason)
  expect(lost({ first, between: [['HSETNX seen k1 again', 0]], ends: 'fails' })).toBe(reason)
  const scored: Words = [['ZADD seen NX 7 k1', 1]]
  expect(lost({ first: scored, between: [['ZADD seen NX 8 k1', 0]], ends: 'fails' })).toBe(reason)
  expect(lost({ first, after: [['HSET seen k1 over k1:at 7', 1]] })).toBe(reason)
})

it('a lost field that marks work in progress is a reason only for attempts that claim', () => {
  const first: Words = [['HSET seen k1 pending', 1]]
  const again: Words = [['HGET seen k1', null]]
  expect(lost({ first, again, ends: 'dies', kind: 'repeat-after-crash' })).not.toContain('performed again')
  expect(lost({ first, again })).toBe(reason)
  const claim: Words = [['HSETNX seen k1 pending', 1]]
  expect(lost({ first: claim, ends: 'dies', kind: 'repeat-after-crash' })).toBe(reason)
})

it('a value is not a member', () => {
  const again: Words = [['HSETNX seen k1 a', 1]]
  expect(lost({ first: [['HSET seen last k1 x y', 2]], again })).not.toContain('emptied')
  expect(lost({ first: [['HSET seen k1 last x y', 2]], again })).toBe(reason)
})

it('the cause omits the loss if a time limit or a script may have ended the structure', () => {
  const first: Words = [['HSETNX seen k1 a', 1]]
  const reported = (words: string) => lost({ first, ahead: [[words, 1]] })
  for (const words of ['EXPIREAT seen 1', 'PEXPIREAT seen 1', 'EVALSHA touch 1 seen'])
    expect(reported(words)).not.toContain('emptied')
  for (const words of ['EXPIRE seen 100', 'HSET seen k2 a', 'HDEL seen k2', 'PERSIST seen'])
    expect(reported(words)).toBe(reason)
})

it('the loss is not a reason if the claim may be overdue, or the record past its retention', () => {
  const first: Words = [['HSETNX seen k1 5000', 1]]
  const certain =
    'Redis was emptied, and the data written for the key with it; HSETNX of the next attempt then answered 1'
  const overtaken = { first, ends: 'works on', kind: 'zombie', againMs: 60_000 } as const
  expect(lost(overtaken)).toBe(certain)
  expect(lost({ ...overtaken, first: [['HSETNX seen k1 begun', 1]] })).toBe(certain)
  expect(insteadOf('zombie', certain)).toBe(insteadOf('zombie'))
  expect(lost({ ...overtaken, againMs: 90, kind: 'duplicate' })).toBe(reason)
  const dead = { first, ends: 'dies', kind: 'repeat-after-crash' } as const
  expect(lost({ ...dead, againMs: 101 })).toBe(certain)
  expect(lost({ ...dead, againMs: 100 })).toBe(reason)
  expect(lost({ ...dead, againMs: 100, clockMoves: true })).toBe(certain)
  expect(lost({ first, againMs: 101 })).toBe(certain)
  expect(lost({ first: [['HSETNX seen k1 begun', 1]], againMs: 60_000, clockMoves: true })).toBe(reason)
  const recorded = { first, after: [['HSET seen k1 over', 0]], isHeard: true } as const
  expect(lost({ ...recorded, againMs: 10_000 })).toBe(reason)
  expect(lost({ ...recorded, againMs: 10_001 })).toBe(certain)
})

it('the cause omits the loss if the delivery of the first effect is ambiguous', () => {
  const first: Words = [['ZADD seen NX 7 k1', 1]]
  expect(lost({ first, ofSeveral: true })).not.toContain('emptied')
  expect(lost({ first, ofSeveral: false })).toBe(reason)
})

describe('with a non-ASCII key', () => {
  const inUtf8 = (text: string) => Buffer.from(text).toString('latin1')

  function reported(key: string, member: string, { structure = 'seen', removed = '' } = {}) {
    const { history, executed, command } = story()
    history.publish('m1', { key }).publish('m2', { key: 'k2' }).deliver(1, 'm1', 'a').deliver(3, 'm2', 'a')
    command('a', inUtf8(`ZADD ${structure} NX 7 ${member}`), 1)
    history.send(1, 1).apply(1).done(1)
    if (removed !== '') command('c', inUtf8(`ZREM ${structure} ${removed}`), 1)
    history.loseData('flush', [structure]).deliver(4, 'm2', 'b').deliver(2, 'm1', 'b', 2)
    command('b', inUtf8(`ZADD ${structure} NX 7 ${member}`), 1)
    history.send(2, 2).apply(2)
    const events = history.events.flatMap(({ type, seq }) => (type === 'effect-applied' ? [seq] : []))
    return whyOf({ history, executed }, { kind: 'duplicate', key, sentence: '', events }).why
  }

  it('the cause is the same', () => {
    expect(reported('cafe-1', 'cafe-1')).toBe(reason)
    expect(reported('café-1', 'café-1')).toBe(reason)
    expect(reported('café-1', 'café-1', { structure: 'déjà-vu' })).toBe(reason)
  })

  it('the cause omits a member that was removed, or belongs to another key', () => {
    expect(reported('café-1', 'café-1', { removed: 'café-1' })).not.toContain('emptied')
    expect(reported('café-1', 'café-1', { removed: 'café-2' })).toBe(reason)
    expect(reported('café-1', 'cafè-1')).not.toContain('emptied')
  })
})

it('the cause omits the loss if the attempt read something else too, or wrote to an unknown server', () => {
  const first: Words = [['ZADD seen NX 7 k1', 1]]
  expect(lost({ first, again: [['GET lock:k1', null], ...first] })).not.toContain('emptied')
  expect(lost({ first, cause: 'split-brain' })).not.toContain('thrown away')
})

it('with several servers, the cause reports the loss only if the asked server had lost the key', () => {
  const reported = (written: string, asked: string, cause: 'split-brain' | 'failover' | 'restart', node: string) => {
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
  expect(reported('redis-1', 'redis-3', 'split-brain', 'redis-1')).toBe(true)
  expect(reported('redis-2', 'redis-1', 'split-brain', 'redis-1')).toBe(false)
  expect(reported('redis-1', 'redis-2', 'failover', 'redis-2')).toBe(true)
  expect(reported('redis-1', 'redis-3', 'failover', 'redis-2')).toBe(false)
  expect(reported('redis-1', 'redis-1', 'restart', 'redis-1')).toBe(true)
  expect(reported('redis-2', 'redis-1', 'restart', 'redis-1')).toBe(false)
})
