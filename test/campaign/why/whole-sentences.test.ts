/** What a sentence must contain so that every word of it is true. */
import { ErrorReply, OK, type Reply, StatusReply } from 'redis-sim/resp'
import { describe, expect, it } from 'vitest'
import { attributed } from '../../../src/campaign/causes/attributed.ts'
import { decidingStep } from '../../../src/campaign/causes/deciding-step.ts'
import { whyOf } from '../../../src/campaign/causes/why/why.ts'
import { story } from './story.ts'

type Story = ReturnType<typeof story>

/** A command that is known to belong to the delivery `sentFor`. */
function sent({ history, executed }: Story, sentFor: number, words: string, reply: Reply): void {
  const args = words.split(' ')
  const { process } = history.events.find(
    (event) => event.type === 'delivered' && event.deliveryId === sentFor,
  ) as never
  executed.push({ process, label: args[0]!, seq: history.events.length, args, reply, sentFor })
}

describe('two attempts that watch the key on one connection', () => {
  const queued = new StatusReply('QUEUED')
  const write = (one: Story, delivery: number) => {
    sent(one, delivery, 'MULTI', OK)
    sent(one, delivery, 'SET k1 mine', queued)
    sent(one, delivery, 'EXEC', ['OK'])
  }
  const performed = (isWatchedLate: boolean) => {
    const one = story()
    one.history.publish('m1').deliver(1, 'm1', 'a').deliver(2, 'm1', 'a', 2)
    sent(one, 1, 'WATCH k1', OK)
    if (!isWatchedLate) sent(one, 2, 'WATCH k1', OK)
    write(one, 1)
    if (isWatchedLate) sent(one, 2, 'WATCH k1', OK)
    write(one, 2)
    one.history.send(1, 1).send(2, 2).apply(1).apply(2)
    return one.why('duplicate')
  }

  it('share a WATCH, which the EXEC of one attempt ends for the other', () => {
    expect(performed(false)).toMatch(/^the EXEC of one attempt was executed, although the other attempt had written /)
    expect(performed(true)).not.toMatch(/ended the WATCH/)
  })
})

describe('a message that was accepted and forgotten', () => {
  const accepted = (lostKey: string) => {
    const one = story()
    const { history } = one
    history.publish('m1').deliver(1, 'm1', 'a')
    sent(one, 1, 'LPUSH queue k1', 1)
    history.answer(1, { status: 'accepted' })
    history.add({ type: 'data-lost', cause: 'flush', redisKeys: [lostKey], node: 'redis' } as never)
    return one.why('accepted-and-forgotten', 'published', 'answered')
  }

  it('was lost by the store', () => {
    expect(accepted('queue:k1')).toBe(
      'Redis was emptied, and the record of the key with it; so its effect was forgotten',
    )
    expect(accepted('queue:k2')).not.toMatch(/emptied/)
  })
})

describe('a claim that several attempts took in turn', () => {
  const taken = (isExpired: boolean) => {
    const one = story({ retentionMs: 86_400_000 })
    const { history } = one
    history.publish('m1').deliver(1, 'm1', 'a')
    sent(one, 1, 'SET k1 a PX 500 NX', OK)
    for (const [id, process] of [
      [2, 'b'],
      [3, 'b'],
    ] as const) {
      history.add({
        type: 'data-lost',
        cause: isExpired ? 'expiry' : 'flush',
        redisKeys: ['k1'],
        node: 'redis',
      } as never)
      history.deliver(id, 'm1', process, id)
      sent(one, id, `SET k1 ${id} PX 500 NX`, OK)
    }
    history.send(1, 1).send(2, 3).apply(1).apply(2)
    return one.why('duplicate')
  }

  it('had expired while its first holder was working', () => {
    expect(taken(true)).toBe(
      'the claim of the first attempt expired after 500 ms, while it was still at work, and others took the key one after the other',
    )
    expect(taken(false)).not.toMatch(/expired/)
  })
})

describe('requests of two deliveries that share a connection', () => {
  /** All of its requests are known to belong to the second delivery. */
  const twice = (deliveries: readonly number[]) => {
    const { history, executed } = story()
    history.publish('m1')
    for (const one of deliveries) history.deliver(one, 'm1', 'a', one)
    for (const id of [1, 2]) history.send(id, 2, { unknownDelivery: deliveries.length > 1 }).apply(id)
    const requests = new Map([1, 2].map((id) => [id, 2]))
    const run = attributed({ history, executed, sentFor: { commands: [], requests, unanswered: new Map() } })
    const events = history.events.flatMap(({ type, seq }) => (type === 'effect-applied' ? [seq] : []))
    return whyOf(run, { kind: 'duplicate', key: 'k1', sentence: 'something happened', events }).why
  }

  it('do not count as two of one delivery', () => {
    expect(twice([2])).toBe('the handler called the sink twice within one delivery')
    expect(twice([1, 2])).not.toMatch(/twice within one delivery/)
  })
})

it('a record of another delivery does not decide', () => {
  const one = story()
  const { history, command, executed } = one
  history.publish('m1').deliver(1, 'm1', 'a')
  command('a', 'GET k1', null)
  history.send(1, 1).apply(1).deliver(2, 'm1', 'a', 2)
  command('a', 'GET k1', null)
  history.notifyCaller(1, 'receipt')
  command('a', 'SET k1 done', OK)
  history.done(1).send(2, 2).apply(2)
  const events = history.events.flatMap(({ type, seq }) => (type === 'effect-applied' ? [seq] : []))
  const violation = { kind: 'duplicate', key: 'k1', sentence: 'something happened', events }
  expect(decidingStep({ history, executed }, violation)).toBe('GET: nothing')
})

it('the sentence about a message that is retried forever has the whole error', () => {
  const { history, command, why } = story()
  history.publish('m1').deliver(1, 'm1', 'a')
  command('a', 'EVALSHA take 1 lock:k1', new ErrorReply('ERR Script attempted to access a non local key.'))
  history.throw(1, 'ReplyError: ERR').rest()
  expect(why('retry-goes-on', 'threw')).toBe(
    'the last attempt threw (ReplyError), after the script take had answered the error ERR Script attempted to access a non local key',
  )
})

it('a write that removes the time to live has another sentence than one without any', () => {
  const left = (first: string) => {
    const { history, command, why } = story()
    history.publish('m1').deliver(1, 'm1', 'a')
    command('a', first, OK)
    command('a', 'GETSET lock:k1 done', 'x')
    history.done(1).add({ type: 'keys-counted', keys: 1, withoutExpiry: 1, namesWithoutExpiry: ['lock:k1'] })
    return why('named-after-a-message', 'keys-counted')
  }
  expect(left('SET lock:k1 x PX 5000 NX')).toBe(
    'GETSET wrote over a key for the message, removed its TTL of 5 s, and nothing set another or deleted it',
  )
  expect(left('SET lock:k1 x')).toBe(
    'GETSET wrote a key for the message without a TTL, and nothing set one or deleted it',
  )
})

it('an error of the sink is not the cause if the caller did not wait for the sink', () => {
  const told = (error: string) => {
    const { history, command, why } = story()
    history.publish('m1').deliver(1, 'm1', 'a')
    command('a', 'GET k1', null)
    history.send(1, 1).apply(1).add({ type: 'effect-answered', requestId: 1, process: 'a', answer: 'error', error })
    history.throw(1).deliver(2, 'm1', 'b', 2)
    command('b', 'GET k1', null)
    history.send(2, 2).apply(2)
    return why('repeat-after-error')
  }
  const found = 'though the effect was applied; GET of the next attempt found nothing'
  expect(told('SinkTimeout: no answer from the sink within 500 ms')).toBe(
    `the first attempt gave up before the sink had answered it, ${found}`,
  )
  expect(told('SinkUnavailable: 502')).toBe(`the sink's answer to the first attempt was an error, ${found}`)
})
