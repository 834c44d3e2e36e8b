import { Redis } from 'ioredis'
import { describe, expect, it } from 'vitest'
import { attributed } from '../../../src/campaign/causes/attributed.ts'
import { whyOf } from '../../../src/campaign/causes/why/why.ts'
import { boundedStall } from '../../../src/check/bounded-stall.ts'
import { noLostMessage } from '../../../src/check/no-lost-message.ts'
import type { Implementation } from '../../../src/contract/api/implementation.ts'
import { kinds } from '../../check/kinds.ts'
import { done, layer, type Play, type Played, play, sleep } from '../world-lab.ts'
import { drainedPool } from './layers/drained-pool.ts'
import { lateSubscriber } from './layers/late-subscriber.ts'
import { waiterOfTheDead } from './layers/waiter-of-the-dead.ts'

const message = (key: string, publishAtMs: number) => ({ key, payload: { order: 1 }, publishAtMs })
/** Makes a consumer take one message at a time. */
const serial = { serial: true } as const
const never = new Promise<never>(() => {})

function finding(run: Played) {
  const verdict = noLostMessage.judge(run.history)
  if (verdict.verdict !== 'violated') return verdict.verdict
  const [violation] = verdict.violations
  return { kind: violation!.kind, sentence: violation!.sentence, why: whyOf(attributed(run), violation!).why }
}

const judged = async (adapter: Pick<Implementation, 'create'>, options: Play = {}) =>
  finding(await play(adapter, options))

describe('a handler that never answers', () => {
  const hangs = layer(async ({ key }, redis) => {
    await redis.get(key)
    return never
  })

  it('is a violation even without a fault, whatever else the consumer does', async () => {
    const run = await play(hangs)
    expect(run.of('ended')[0]).toMatchObject({ complete: true })
    expect(finding(run)).toMatchObject({
      kind: 'handler-never-answers',
      why: 'it never answered, and sent nothing after GET had answered nothing',
    })
    const ticks = layer(async () => {
      setInterval(() => {}, 1000)
      return never
    })
    expect(await judged(ticks)).toMatchObject({ kind: 'handler-never-answers' })
  })

  it('blocks all messages behind it if its consumer is serial', async () => {
    const messages = [message('order-1', 0), message('order-2', 10), message('order-3', 20)]
    const first = layer(async ({ key }) => (key === 'order-1' ? never : done))
    const run = await play(first, { messages, ...serial })
    expect(kinds(noLostMessage.judge(run.history))).toEqual(['handler-never-answers'])
    expect(finding(run)).toMatchObject({
      sentence: expect.stringContaining(
        'it takes one message at a time, and message-2 and message-3 wait behind it forever',
      ),
    })
    expect(
      await judged(
        layer(() => done),
        { messages, ...serial },
      ),
    ).toBe('valid')
  })

  it('blocks all messages of its partitions if no other consumer takes them', async () => {
    const messages = [message('order-1', 0), message('order-2', 10), message('order-3', 20)]
    const first = () => layer(async ({ key }) => (key === 'order-1' ? never : done))
    const alone = { messages, broker: { partitions: 1, batch: 1 } }
    expect(await judged(first(), alone)).toMatchObject({
      sentence: expect.stringContaining('it takes nothing else of its topic, and message-2 and message-3 wait behind'),
    })
    let calls = 0
    const once = layer(async () => (calls++ === 0 ? never : done))
    const run = await play(once, { ...alone, consumers: 2 })
    expect(run.of('settled')).toHaveLength(3)
    expect(finding(run)).toMatchObject({ sentence: expect.not.stringContaining('from its topic') })
  })

  it('is not blamed while a long timer waits', async () => {
    const slow = layer(async () => {
      await sleep(1_200_000)
      return done
    })
    expect(await judged(slow)).not.toMatchObject({ kind: 'handler-never-answers' })
    expect(await judged(slow, { visibilityMs: 5_000_000, ...serial })).toBe('valid')
  })

  it('is reported as polling if it asks repeatedly', async () => {
    const polls = layer(async ({ key }, redis) => {
      while ((await redis.get(key)) === null) await sleep(2000)
      return done
    })
    const found = await judged(polls, serial)
    expect(found).toMatchObject({
      why: expect.stringMatching(/^it polls without end: GET answered nothing the last time/),
    })
  })

  it('counts as a call longer than declared, on every kind of sink', async () => {
    for (const sink of ['plain', 'keyed', 'fenced'] as const) {
      const { history } = await play({ ...hangs, answersWithinMs: 300 }, { sink })
      expect(kinds(boundedStall.judge(history))).toEqual(['call-goes-on'])
      expect(kinds(boundedStall.judge((await play(hangs, { sink })).history))).toBe('valid')
    }
  })
})

describe('a reply that can no longer come', () => {
  const once = (options: object) => ({
    create: ({ redis }: Parameters<Implementation['create']>[0]) => {
      const client = new Redis({ ...redis.options, ...options })
      client.on('error', () => {})
      return { handle: ({ key }: { key: string }) => client.get(key).then(() => done) }
    },
  })
  const lost = { kind: 'lost-reply', when: { at: 'command-executed', consumer: 0, nth: 1 } } as const
  const plan = { ...serial, faults: [lost] }

  it('is reported, unless the client resends its command', async () => {
    expect(await judged(once({ autoResendUnfulfilledCommands: false }), plan)).toMatchObject({
      why: 'the reply to GET can no longer come: its connection was lost, the command was not sent again, and the handler did nothing after it',
    })
    expect(await judged(once({}), plan)).toBe('valid')
  })

  it('is noticed on a forgotten connection only by keep-alive', async () => {
    const halfOpen = { kind: 'half-open', when: { at: 'command-executed', consumer: 0, nth: 1 } } as const
    const forgotten = { ...serial, faults: [halfOpen] }
    expect(await judged(once({ keepAlive: 30_000 }), forgotten)).toBe('valid')
    const hung = await judged(once({ keepAlive: null }), forgotten)
    expect(hung).toMatchObject({
      why: 'the reply to GET can no longer come: its connection was half-open, and neither a client timeout nor keep-alive ended it',
    })
  })
})

it('a handler is not blamed if its machine has just given up a connection', async () => {
  const asks = layer(({ key }, redis) => redis.get(key).then(() => done))
  const halfOpen = { kind: 'half-open', when: { at: 'command-unsent', consumer: 0, nth: 1 } } as const
  const run = await play(asks, { faults: [halfOpen], ...serial })
  expect(run.of('threw')[0]!.atUs).toBeGreaterThan(900_000_000)
  expect(finding(run)).toBe('valid')
})

describe('a missed wake-up', () => {
  it('is reported for a subscriber that came too late', async () => {
    // The second read comes before the first delivery finishes, its subscription afterwards.
    const copies = {
      messages: [message('order-1', 100), message('order-1', 113)],
      effectMs: 10,
      ...serial,
      consumers: 2,
    }
    const runs = [1, 2, 3, 4, 5, 6, 7, 8]
    const found = []
    for (const seed of runs) found.push(await judged({ create: lateSubscriber(false) }, { ...copies, seed }))
    expect(found).toContainEqual(
      expect.objectContaining({
        why: expect.stringMatching(
          /^the message came before it listened: PUBLISH of consumer-\d was executed before its SUBSCRIBE done:order-1/,
        ),
      }),
    )
    for (const seed of runs) expect(await judged({ create: lateSubscriber(true) }, { ...copies, seed })).toBe('valid')
  })

  it('is reported for a waiter whose holder died', async () => {
    const crash = { kind: 'crash', when: { at: 'effect-applied', consumer: 0, nth: 1 }, healAfterMs: 100 } as const
    const dies = {
      messages: [message('order-1', 0)],
      faults: [crash],
      sink: 'keyed' as const,
      visibilityMs: 300,
      ...serial,
    }
    expect(await judged({ create: waiterOfTheDead(0) }, dies)).toMatchObject({
      kind: 'handler-never-answers',
      why: 'its command never ends: blpop freed:order-1 0 waits without a timeout, and nothing arrived',
    })
    expect(await judged({ create: waiterOfTheDead(1) }, dies)).toBe('valid')
  })

  it('is reported for a waiter at a pool that stays empty', async () => {
    const fails = {
      kind: 'effect-fails-before',
      how: 'fail',
      when: { at: 'effect-unapplied', consumer: 0, nth: 1 },
    } as const
    const messages = [1, 2, 3].map((n) => message(`order-${n}`, 100 * n))
    const faults = [1, 2].map((nth) => ({ ...fails, when: { ...fails.when, nth } }))
    expect(await judged({ create: drainedPool(false) }, { messages, faults, ...serial })).toMatchObject({
      kind: 'handler-never-answers',
      why: 'it never answered, and sent no command to wait for',
    })
    expect(await judged({ create: drainedPool(true) }, { messages, faults, ...serial })).toBe('valid')
  })
})

describe('a token that one waiter takes', () => {
  const bell = `redis.call('RPUSH', KEYS[1], ARGV[1])`
  /**
   * The first delivery waits for the token of the second message, which a script or MULTI brings.
   */
  const waits = (brings: (redis: Redis) => Promise<unknown>): Pick<Implementation, 'create'> => {
    let isAskedFor = false
    return {
      create({ redis }) {
        const client = new Redis(redis.options)
        client.on('error', () => {})
        return {
          async handle({ key }) {
            if (key === 'order-2') await brings(client)
            else if (!isAskedFor) {
              isAskedFor = true
              await client.blpop('freed', 0)
            }
            return done
          },
        }
      },
    }
  }
  const byScript = (redis: Redis) => redis.eval(bell, 1, 'freed', '1')
  const inTransaction = (redis: Redis) => redis.multi().rpush('freed', '1').exec()
  const lost = {
    kind: 'lost-reply',
    when: { at: 'command-executed', consumer: 0, nth: 1, of: { label: 'BLPOP' } },
  } as const
  const plan = {
    consumers: 2,
    messages: [message('order-1', 0), message('order-2', 100)],
    faults: [lost],
    visibilityMs: 5_000_000,
  }

  it('is lost with the reply, and the lost reply has the name of the waiting command', async () => {
    for (const brings of [byScript, inTransaction]) {
      const run = await play(waits(brings), plan)
      expect(run.of('reply-lost')).toMatchObject([{ command: 'BLPOP' }])
      expect(run.executed.find(({ label }) => label === 'BLPOP')?.args).toEqual(['blpop', 'freed', '0'])
      expect(finding(run)).toMatchObject({
        why: 'its command never ends: blpop freed 0 waits without a timeout, and its first reply was lost, and the value was gone when the command was sent again',
      })
    }
  })

  it('is not lost with another reply, and did not come if it was never brought', async () => {
    const why = 'its command never ends: blpop freed 0 waits without a timeout, and nothing arrived'
    expect(
      await judged(
        waits(async () => {}),
        { ...plan, faults: [] },
      ),
    ).toMatchObject({ why })
    expect(await judged(waits(byScript), { ...plan, faults: [] })).toBe('valid')
  })
})
