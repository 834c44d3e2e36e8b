/** Two keys share one record or lock: cause and story name the attempt at the other key. */
import type { Redis } from 'ioredis'
import { OK } from 'redis-sim/resp'
import { describe, expect, it } from 'vitest'
import { attributed } from '../../../src/campaign/causes/attributed.ts'
import { reportViolation } from '../../../src/campaign/causes/reported-violation.ts'
import { isSameCause } from '../../../src/campaign/explain/same-cause.ts'
import { judge } from '../../../src/check/index.ts'
import { moralOf } from '../../../src/check/remedies.ts'
import type { CreateContext } from '../../../src/contract/api/implementation.ts'
import type { Message, Outcome } from '../../../src/contract/api/message.ts'
import { type BuiltInName, invariantNames } from '../../../src/contract/api/verdict.ts'
import { reportStory } from '../../../src/report/story.ts'
import { layer, play } from '../../sim/world-lab.ts'
import { story } from './story.ts'

type Handle = (message: Message, redis: Redis, context: CreateContext) => Promise<Outcome>

/** Reads a record, performs, and writes the record. */
const recordedAs =
  (nameOf: (message: Message) => string): Handle =>
  async (message, redis, { sink }) => {
    const name = nameOf(message)
    const found = await redis.get(name)
    if (found !== null) return { status: 'done', result: JSON.parse(found) }
    const result = await sink.perform(message)
    await redis.set(name, JSON.stringify(result), 'PX', 1_000_000)
    return { status: 'done', result: result! }
  }

/** A digest of the payload, as layers compute it. */
const digest = ({ payload }: Message) => `seen:${JSON.stringify(payload).length}`

/** Two messages with the same payload, one soon after the other. */
const messages = ['account-1', 'account-2'].map((key, at) => ({ key, payload: { cents: 5 }, publishAtMs: 50 * at }))

/** The first violation with its cause and story; null if all holds. */
async function found(handle: Handle, invariant: BuiltInName, keys = messages) {
  const played = await play(layer(handle), { messages: keys, maxAttempts: 3 })
  const [judged] = judge(played.history, [invariant])
  if (judged?.verdict.verdict !== 'violated') return null
  const [violation] = judged.verdict.violations
  return reportViolation({ invariant, violation: violation! }, played, { plan: { faults: [] } } as never, {
    report: reportStory,
  })
}

const isSound = async (handle: Handle) => {
  const { history } = await play(layer(handle), { messages })
  const names = invariantNames.filter((name) => name !== 'no-immortal-keys')
  return judge(history, names).every(({ verdict }) => verdict.verdict === 'valid')
}

describe('one record of two keys', () => {
  it.each([
    ['a digest of the payload', digest, 'seen:11'],
    ['a truncated key', ({ key }: Message) => `done:${key.slice(0, 7)}`, 'done:account'],
  ] as const)('%s: done was answered from the record of the other key', async (_, nameOf, name) => {
    const one = await found(recordedAs(nameOf), 'no-false-done')
    expect(one?.why).toBe(
      'GET found what SET of an attempt at another key had written (it answered a value), and this attempt answered ' +
        `done without an effect: account-2 and account-1 meet in ${name}`,
    )
    const told = one?.story.join('\n')
    const step = `message-1 for account-1, attempt 1: Redis executes SET ${name} .*consumer-1 answers done with`
    expect(told).toMatch(new RegExp(step))
    expect(told).toContain('after the whole key and nothing else')
  })

  it('is avoided if records are named after the key, or after key and payload', async () => {
    expect(await isSound(recordedAs(({ key }) => `done:${key}`))).toBe(true)
    expect(await isSound(recordedAs((message) => `${digest(message)}:${message.key}`))).toBe(true)
  })

  it('shows escaped keys if both look alike', async () => {
    const alike = ['caf\u00e9', 'cafe\u0301'].map((key, at) => ({ ...messages[at]!, key }))
    const one = await found(
      recordedAs(() => 'done'),
      'no-false-done',
      alike,
    )
    expect(one?.why).toMatch(/: cafe\\u\{301\} and caf\\u\{e9\} meet in done$/)
  })

  it('was overwritten by the attempt at the other key', () => {
    const { history, command, causeOf } = story()
    history.publish('m1').publish('m2', { key: 'k2' }).deliver(1, 'm1', 'a').send(1, 1).apply(1)
    command('a', 'SET last k1', OK)
    history.done(1).deliver(2, 'm2', 'b').send(2, 2)
    command('b', 'SET last k2', OK)
    history.done(2).deliver(3, 'm1', 'a', 2)
    command('a', 'GET last', 'k2')
    history.send(3, 3).apply(3)
    const { why, shown } = causeOf('duplicate')
    expect(why).toBe(
      'SET of an attempt at another key wrote over the data of the first attempt, and GET answered a value to the next attempt: k1 and k2 meet in last',
    )
    expect(shown?.map((seq) => history.events[seq]!.type)).toEqual(expect.arrayContaining(['delivered', 'answered']))
  })
})

describe('a record that is named after the other key', () => {
  /** `made`: the delivery whose handler made each command. */
  const sendersOf = (own: string, made: readonly number[]) => {
    const { history, command, executed } = story()
    history.publish('m1', { key: 'k-1' }).publish('m2', { key: 'k_1' }).deliver(1, 'm1', 'a').deliver(2, 'm2', 'a')
    command('a', 'GET done:k-1', null)
    command('a', own, null)
    return attributed({
      history,
      executed,
      sentFor: { commands: [...made], requests: new Map(), unanswered: new Map() },
    }).executed.map(({ sentFor }) => sentFor)
  }

  it('was read by the delivery that made the command if each read for itself', () => {
    expect(sendersOf('GET done:k-1', [1, 2])).toEqual([1, 2])
  })

  it('may have been read by another delivery if one sends for several', () => {
    expect(sendersOf('GET done:k_1', [1, 1])).toEqual([1, undefined])
    expect(sendersOf('GET done:k_1', [2, 2])).toEqual([undefined, 2])
    expect(sendersOf('HGET other f', [2, 1])).toEqual([undefined, 1])
  })
})

describe('one lock of two keys', () => {
  it('was left behind by the attempt at the other key', () => {
    const { history, command, why } = story()
    history.publish('m1').publish('m2', { key: 'k2' }).deliver(1, 'm2', 'a')
    command('a', 'SETNX lock:customer 1', 1)
    history.crash('a').deliver(2, 'm1', 'b')
    command('b', 'SETNX lock:customer 1', 0)
    history.answer(2, { status: 'retry' })
    const cause = why('retry-goes-on', 'answered')
    expect(cause).toBe(
      'SETNX found what SETNX of an attempt at another key had left there when it died (it answered 0), and the attempt was put off: k1 and k2 meet in lock:customer',
    )
    expect(moralOf('retry-goes-on', null, cause)).toMatch(/^A lock that keys share is held for all of them/)
  })

  it('was left behind by an attempt at the same key', () => {
    const { history, command, why } = story()
    history.publish('m1').publish('m2', { key: 'k2' }).deliver(1, 'm1', 'a')
    command('a', 'SETNX lock:customer 1', 1)
    history.crash('a').deliver(2, 'm1', 'b')
    command('b', 'SETNX lock:customer 1', 0)
    history.answer(2, { status: 'retry' })
    expect(why('retry-goes-on', 'answered')).toBe(
      'an attempt died and left its claim behind: it turned later ones away',
    )
  })

  const freed = (by: string) => {
    const { history, command, why } = story()
    history.publish('m1').publish('m2', { key: 'k2' }).deliver(1, 'm2', 'b')
    history.deliver(2, 'm1', 'a')
    command('a', 'SET lock:customer a NX', OK)
    history.send(1, 2)
    command(by, 'DEL lock:customer', 1)
    history.deliver(3, 'm1', 'c', 2)
    command('c', 'SET lock:customer c NX', OK)
    history.send(2, 3).apply(1).apply(2)
    return why('duplicate')
  }

  it('was deleted by the attempt at the other key', () => {
    expect(freed('b')).toBe(
      'DEL of an attempt at another key deleted the data of the first attempt, and SET NX of the next attempt found nothing there: k1 and k2 meet in lock:customer',
    )
    expect(freed('a')).not.toContain('another key')
  })
})

it('is not reported if a structure has a member for each key', () => {
  const { history, command, why } = story()
  history.publish('m1').publish('m2', { key: 'k2' }).deliver(1, 'm2', 'a')
  command('a', 'HSET all k2 done', 1)
  history.done(1).deliver(2, 'm1', 'b')
  command('b', 'HGET all k1', 'done')
  history.done(2)
  expect(why('done-without-effect', 'answered')).not.toContain('another key')
})

it('is one cause for any pair of keys', () => {
  const cause = { invariant: 'no-false-done', kind: 'k', path: ['GET'], decidedBy: 'GET: a value', needs: [] } as const
  const reason = (keys: string) => ({ cause, reason: `GET met another key’s: ${keys}` })
  const others = { ...cause, needs: ['crash'] }
  const one = reason('k1 and k2 meet in done:1')
  expect(isSameCause(one, { ...reason('k3 and k4 meet in done:2'), cause: others })).toBe(true)
  expect(isSameCause(one, { cause: others, reason: 'GET met its own' })).toBe(false)
})
