import fs from 'node:fs'
import fc from 'fast-check'
import { Client } from 'pg'
import { describe, expect, it } from 'vitest'
import { luaServerTime } from '../../implementations/articles/001-lua-server-time.ts'
import cleanUp from '../../implementations/suggested/003-postgres-clean-up.ts'
import { createDeps } from '../../src/cli/create-deps.ts'
import { select } from '../../src/cli/select.ts'
import type { Handler } from '../../src/contract/api/implementation.ts'
import type { RedisPlan } from '../../src/contract/api/plan.ts'
import type { SinkKind } from '../../src/contract/api/sink.ts'
import type { PostgresAddress } from '../../src/contract/api/store.ts'
import { atFirst } from '../../src/sim/plans/aim.ts'
import { independentRedis } from '../../src/sim/plans/redis-plan.ts'
import { type Play, play } from '../sim/world-lab.ts'

const deps = createDeps(() => false)
const folder = new URL('../../implementations/suggested/', import.meta.url)
const five = fc.sample(independentRedis(), 1)[0]!
const sentinels: RedisPlan = {
  ...{ replicas: 1, sentinels: 3, downAfterMs: 1000, failoverTimeoutMs: 2000 },
  ...{ keeps: 'aof-everysec', minReplicasToWrite: 0, fullSyncMs: 0, loadingMs: 300 },
}
const message = (key: string, publishAtMs: number, order = 1) => ({ key, payload: { order, b: 2 }, publishAtMs })

async function run(id: string, options: Play) {
  const [layer] = await select('implementation', [id], deps)
  const loaded = await deps.loadImplementation(layer!.path)
  const ofSeveral = loaded.implementation.shapes?.includes('independent') ? { redis: five } : {}
  const played = await play(loaded, {
    leaseMs: 3000,
    visibilityMs: 60_000,
    ...ofSeveral,
    ...options,
  })
  const commands = played.executed.map(({ label }) => label)
  return { ...played, commands, answers: played.of('answered').map(({ outcome }) => outcome) }
}

const twice = [message('order-1', 0), message('order-1', 1000)]
const done = { status: 'done', result: expect.objectContaining({ effectId: 'effect-1' }) }

describe('the suggestions of the articles', () => {
  const ids = fs.readdirSync(folder).map((file) => file.replace(/\.ts$/, ''))

  const outboxes = ids.filter((id) => id.endsWith('-outbox'))
  const atOnce = ids.filter((id) => !outboxes.includes(id))
  const sinks: { readonly [id: string]: SinkKind } = {
    '000-unique-index': 'transactional',
    '002-owner-token-compensates': 'cancellable',
  }
  // The script of the article answers only "duplicate".
  const keepsNoResult = [
    '000-unique-index',
    '001-failed-after-retries',
    '001-lua-server-time-delayed',
    '001-multi-exec',
  ]

  it.each(atOnce)('%s performs once, and gives a copy the same answer', async (id) => {
    const { answers, of } = await run(id, { messages: twice, sink: sinks[id] ?? 'plain' })
    const again = keepsNoResult.includes(id) ? { status: 'done', result: null } : done
    expect(answers).toEqual([expect.objectContaining(done), expect.objectContaining(again)])
    expect(of('effect-applied')).toHaveLength(1)
  })

  it.each(outboxes)('%s accepts, a relay performs once, and a copy is done once the store knows', async (id) => {
    const { answers, of } = await run(id, { messages: twice })
    expect(answers).toEqual([{ status: 'accepted' }, expect.objectContaining({ status: 'done' })])
    expect(of('effect-applied')).toHaveLength(1)
    expect(of('settled').map(({ as }) => as)).toEqual(['accepted', 'done'])
    expect(of('effect-sent')).toMatchObject([{ deliveryId: null }])
    expect(of('ended')).toMatchObject([{ complete: true }])
  })

  it.each(outboxes)('%s performs in the transaction of its row if the effect is a row', async (id) => {
    const { answers, of } = await run(id, { messages: twice, sink: 'transactional' })
    expect(answers).toEqual([done, expect.objectContaining({ status: 'done' })])
    expect(of('effect-applied')).toHaveLength(1)
  })

  it.each(outboxes)(
    '%s repeats an effect if the relay died before it marked the row, but not on a keyed sink',
    async (id) => {
      const crash = { kind: 'crash', when: { at: 'effect-applied', consumer: 0, nth: 1 }, healAfterMs: 1000 } as const
      const reported = { messages: [message('order-1', 0)], faults: [crash] }
      expect((await run(id, reported)).of('effect-applied')).toHaveLength(2)
      const keyed = await run(id, { ...reported, sink: 'keyed' })
      expect(keyed.of('effect-applied')).toHaveLength(1)
      expect(keyed.of('effect-deduplicated')).toHaveLength(1)
    },
  )

  it.each(ids)('%s names its article, and declares itself broken', async (id) => {
    const [layer] = await select('implementation', [id], deps)
    const { implementation } = await deps.loadImplementation(layer!.path)
    expect(implementation).toMatchObject({ id, expect: 'broken', about: expect.stringMatching(/\(article 00\d/) })
  })

  it('delete if owner: a failed effect frees the key at once', async () => {
    const fails = { kind: 'effect-fails-before', when: { at: 'effect-unapplied', consumer: 0, nth: 1 } } as const
    const { commands, of } = await run('002-owner-token-delete-if-owner', {
      messages: [message('order-1', 0)],
      faults: [fails],
    })
    expect(commands).toContain('EVALSHA delete-if-owner')
    expect(of('effect-applied').map(({ atUs }) => atUs < 5_000_000)).toEqual([true])
  })

  it.each([
    ['lives', [], 1],
    ['dies before that', [{ kind: 'crash', ...atFirst('effect-answered') }], 2],
  ] as const)('compensation: an attempt that lost its lock cancels its effect, if it %s', async (_, faults, left) => {
    const { of } = await run('002-owner-token-compensates', {
      ...{ sink: 'cancellable', consumers: 2, effectTimeoutMs: 60_000 },
      messages: [message('order-1', 0), message('order-1', 4000)],
      faults: [{ kind: 'slow-effect', extraMs: 3990, ...atFirst('effect-unapplied') }, ...faults],
    })
    const taken = of('effect-cancelled').flatMap(({ effects }) => effects)
    expect(of('effect-applied')).toHaveLength(2)
    expect(of('effect-applied').filter(({ receipt }) => !taken.includes(receipt.effectId))).toHaveLength(left)
  })

  it.each([
    ['000-get-set-record-without-key', 0],
    ['003-set-nx-in-progress-without-key', 2],
  ])('without a key: for two messages, %s performs %i', async (id, effects) => {
    const keyless = [1, 2].map((order) => ({ ...message('', 0, order), keyless: true as const }))
    const { of } = await run(id, { messages: keyless, maxAttempts: 3 })
    expect(of('effect-applied')).toHaveLength(effects)
    expect(of('settled').map(({ as }) => as)).toEqual(effects === 0 ? ['given-up', 'given-up'] : ['done', 'done'])
  })

  it.each([
    ['002-get-then-processing-partitions', 2],
    ['002-owner-token-partitions', 1],
  ])('partitions: %s performs %i times if a rebalance delivers a message to two consumers', async (id, effects) => {
    const rebalance = { kind: 'redelivery', ...atFirst('command-executed'), message: 0 }
    const partitions = { consumers: 2, broker: { partitions: 2, batch: 2 }, maxAttempts: 50 }
    const messages = [0, 1].map((at) => message('order-1', at))
    const { of } = await run(id, { ...partitions, messages, faults: [rebalance] })
    expect(of('fault-struck').map(({ sentence }) => sentence)).toEqual([expect.stringContaining('from offset 0')])
    expect(of('effect-applied')).toHaveLength(effects)
    expect((await run(id, { ...partitions, messages })).of('effect-applied')).toHaveLength(1)
  })

  it('heartbeat: a lock of 3 s survives an effect of 10 s', async () => {
    const { commands, of } = await run('002-owner-token-heartbeat', {
      consumers: 2,
      messages: [message('order-1', 0), message('order-1', 5000)],
      effectMs: 10_000,
      effectTimeoutMs: 60_000,
    })
    expect(commands.filter((label) => label === 'EVALSHA renew').length).toBeGreaterThan(5)
    expect(of('effect-applied')).toHaveLength(1)
  })

  it('short lock: without a heartbeat, each attempt loses its lock during an effect of 10 s, and the next one performs', async () => {
    const { of } = await run('002-owner-token-short-lock', {
      consumers: 2,
      messages: [message('order-1', 0), message('order-1', 5000)],
      effectMs: 10_000,
      effectTimeoutMs: 60_000,
    })
    expect(of('effect-applied')).toHaveLength(10)
  })

  it.each([
    ['001-lua-server-time', 2],
    ['001-lua-server-time-delayed', 1],
  ] as const)('%s: a copy is delivered %i times within a second of a held key', async (id, times) => {
    const { of } = await run(id, {
      consumers: 2,
      messages: [message('order-1', 0), message('order-1', 100)],
      redeliveryMs: 300,
      effectMs: 1000,
      effectTimeoutMs: 60_000,
    })
    const copies = of('delivered').filter(({ messageId, atUs }) => messageId === 'message-2' && atUs < 900_000)
    expect(copies).toHaveLength(times)
  })

  // The articles do not give these numbers, so the verdict must not depend on those of the
  // adapters.
  it.each([100, 5000, 60_000])('delayed NACK: a pause repeats the effect with a delay of %i ms', async (afterMs) => {
    const delayed = luaServerTime({ id: 'delayed', about: '', failed: (client, name) => client.del(name), afterMs })
    const { of } = await play(delayed, {
      consumers: 2,
      messages: [message('order-1', 0)],
      visibilityMs: 6000,
      maxAttempts: 400,
      faults: [{ kind: 'pause', healAfterMs: 400_000, ...atFirst('command-executed') }],
    })
    expect(of('effect-applied')).toHaveLength(2)
  })

  it.each([1000, 3000, 10_000])(
    'heartbeat: it renews a lock of %i ms, and a paused holder sends none',
    async (leaseMs) => {
      const plan = {
        leaseMs,
        consumers: 2,
        messages: [message('order-1', 0), message('order-1', leaseMs * 1.5)],
        effectMs: leaseMs * 3,
        effectTimeoutMs: 600_000,
      }
      const pause = { kind: 'pause', healAfterMs: leaseMs * 4, ...atFirst('effect-unsent') }
      const effects = async (id: string, faults: Play['faults'] = []) =>
        (await run(id, { ...plan, faults })).of('effect-applied').length
      expect(await effects('002-owner-token-heartbeat')).toBe(1)
      expect(await effects('002-owner-token-short-lock')).toBeGreaterThan(1)
      expect(await effects('002-owner-token-heartbeat', [pause])).toBeGreaterThan(1)
    },
  )

  it('MULTI: the SET overwrites what its GET has found, so that a second copy finds the key held', async () => {
    const { answers } = await run('001-multi-exec', { messages: [...twice, message('order-1', 2000)] })
    expect(answers.slice(0, 3).map(({ status }) => status)).toEqual(['done', 'done', 'retry'])
  })

  it('derived key: equal payloads have one key, whatever the header and the order of members', async () => {
    const other = { ...message('order-2', 1000), payload: { b: 2, order: 1 } }
    const { of } = await run('002-derived-key', { messages: [message('order-1', 0), other] })
    expect(of('effect-applied')).toHaveLength(1)
  })

  it('waiting for the lock: a simultaneous copy is answered by its first delivery', async () => {
    const { of, answers } = await run('004-lock-and-record-wait', {
      messages: [message('order-1', 0), message('order-1', 50)],
      effectMs: 200,
    })
    expect(of('delivered')).toHaveLength(2)
    expect(answers).toEqual([done, done])
  })

  it.each([
    ['004-two-phase-lock-take-over', 2, 10_000],
    ['004-two-phase-lock', 1, 10_000],
  ])(
    'taking over by age: %s performs %d times if the first attempt is still working',
    async (id, effects, effectMs) => {
      const { of } = await run(id, {
        consumers: 2,
        messages: [message('order-1', 0), message('order-1', 6000)],
        effectMs,
        effectTimeoutMs: 60_000,
      })
      expect(of('effect-applied')).toHaveLength(effects)
    },
  )

  it.each([
    ['004-two-phase-lock-retry-failed', 1],
    ['004-two-phase-lock', 0],
  ])('FAILED: %s performs %d effects after a failed effect', async (id, effects) => {
    const fails = { kind: 'effect-fails-before', when: { at: 'effect-unapplied', consumer: 0, nth: 1 } } as const
    const { of } = await run(id, { messages: [message('order-1', 0)], faults: [fails] })
    expect(of('effect-applied')).toHaveLength(effects)
  })

  /** The first `times` effects fail with an error, in one consumer. */
  const failing = (times: number) =>
    Array.from({ length: times }, (_, at) => {
      return { kind: 'effect-fails-before', when: { at: 'effect-unapplied', consumer: 0, nth: at + 1 } } as const
    })

  it.each([
    ['000-lua-acquire-failed', 1],
    ['000-lua-acquire', 0],
    ['002-owner-token-failed', 1],
    ['002-owner-token-nack-on-skip', 0],
  ])(
    'FAILED frees the key: under %s a message is performed %d times soon after its effect failed',
    async (id, effects) => {
      const { of } = await run(id, { messages: [message('order-1', 0)], faults: failing(1), untilUs: 60_000_000 })
      expect(of('effect-applied')).toHaveLength(effects)
    },
  )

  it.each(['000-lua-acquire-failed', '002-owner-token-failed', '004-two-phase-lock-retry-failed'])(
    'FAILED after a lost answer of the sink: %s repeats the effect soon, unless the sink is keyed',
    async (id) => {
      const faults = [{ kind: 'effect-fails-after', ...atFirst('effect-applied') }]
      const counted = async (sink: SinkKind) => {
        const { of } = await run(id, { sink, faults, messages: [message('order-1', 0)], untilUs: 60_000_000 })
        return [of('effect-applied').length, of('effect-deduplicated').length]
      }
      expect(await counted('plain')).toEqual([2, 0])
      expect(await counted('keyed')).toEqual([1, 1])
    },
  )

  it('FAILED as its owner: an overtaken attempt leaves the record of the other', async () => {
    const { of } = await run('002-owner-token-failed', {
      ...{ consumers: 2, effectTimeoutMs: 310_000, visibilityMs: 900_000, maxAttempts: 20 },
      messages: [message('order-1', 0), message('order-1', 301_000)],
      faults: [{ kind: 'slow-effect', extraMs: 309_995, ...atFirst('effect-unapplied') }],
    })
    // Effects of the first attempt, which gets no answer in time, and of the one that took its key.
    // There is no third attempt that found FAILED.
    expect(of('effect-applied')).toHaveLength(2)
    expect(of('settled').map(({ as }) => as)).toEqual(['done', 'done'])
  })

  it.each([
    [2, 1],
    [3, 0],
  ])('FAILED after retries: after %d failed attempts it performs %d effects', async (failures, effects) => {
    const { of, answers } = await run('001-failed-after-retries', {
      messages: [message('order-1', 0)],
      faults: failing(failures),
      maxAttempts: 8,
    })
    expect(of('effect-applied')).toHaveLength(effects)
    expect(answers.at(-1)).toMatchObject({ status: effects === 1 ? 'done' : 'retry' })
    expect(of('settled').map(({ as }) => as)).toEqual([effects === 1 ? 'done' : 'given-up'])
  })

  const dayMs = 86_400_000
  const aDayLater = [message('order-1', 0), message('order-1', dayMs + 1_800_000)]

  it.each([
    ['002-owner-token-aged', 1],
    ['002-owner-token-nack-on-skip', 2],
    ['003-set-nx-in-progress-48-hours', 1],
    ['003-set-nx-in-progress', 2],
  ])('a longer window: %s performs %d times if a copy comes a day later', async (id, effects) => {
    const { of } = await run(id, { messages: aDayLater })
    expect(of('effect-applied')).toHaveLength(effects)
  })

  it('aged records: a record moved at night is answered from the table, and is in Redis again', async () => {
    const { answers, commands } = await run('002-owner-token-aged', {
      messages: [...aDayLater, message('order-1', dayMs + 1_810_000)],
    })
    expect(answers).toEqual([done, done, done])
    expect(commands.filter((label) => /SCAN|PutItem/.test(label))).toEqual(['SCAN', 'PutItem IdempotencyStore'])
    expect(commands.filter((label) => label === 'EVALSHA release')).toHaveLength(2)
  })

  it.each([
    ['before', 2],
    ['after', 1],
  ] as const)(
    'failover: %s IN_PROGRESS was replicated, 003-set-nx-in-progress performs %i times',
    async (when, effects) => {
      const at = (ms: number) => ({ when: { at: 'time' as const, ms } })
      const cut = { kind: 'machine-cut-off', who: 'primary', which: 0, from: 'servers', withReplica: false }
      const dies = { kind: 'redis-restart', ...at(300), healAfterMs: 60_000 }
      const { of } = await run('003-set-nx-in-progress', {
        redis: sentinels,
        consumers: 2,
        messages: [message('order-1', 100), message('order-1', 3000)],
        effectMs: 4800,
        effectTimeoutMs: 60_000,
        faults: [...(when === 'before' ? [{ ...cut, ...at(0), healAfterMs: 60_000 }] : []), dies],
      })
      const lost = of('data-lost').filter(({ cause }) => cause === 'failover')
      expect(lost.flatMap(({ redisKeys }) => redisKeys)).toEqual(effects === 2 ? ['order-1'] : [])
      expect(lost.every(({ atUs }) => atUs < of('effect-applied')[0]!.atUs)).toBe(true)
      expect(of('effect-applied')).toHaveLength(effects)
    },
  )

  it.each([
    ['003-postgres-clean-up', 2],
    ['003-postgres-skip-locked', 1],
  ])('clean-up: %s performs %d times if a copy comes a minute after the retention', async (id, effects) => {
    const { of, commands } = await run(id, {
      messages: [message('order-1', 0), message('order-1', 70_000)],
      retentionMs: 30_000,
    })
    expect(of('effect-applied')).toHaveLength(effects)
    expect(commands.includes('DELETE idempotency_records')).toBe(effects === 2)
  })

  it.each([
    ['003-dynamodb', 0],
    ['003-dynamodb-eventual', 2],
  ] as const)('consistent read: %s repeats a done effect of 6 s in %i of 10 runs', async (id, runs) => {
    let repeats = 0
    for (let seed = 1; seed <= 10; seed++) {
      const { of } = await run(id, {
        seed,
        messages: [message('order-1', 0), message('order-1', 6500)],
        effectMs: 6000,
        effectTimeoutMs: 60_000,
      })
      if (of('effect-applied').length > 1) repeats++
    }
    expect(repeats).toBe(runs)
  })

  it('clean-up: a crashed consumer leaves no row in progress, so that the next one performs at once', async () => {
    const { of } = await run('003-postgres-clean-up', {
      messages: [message('order-1', 0)],
      faults: [{ kind: 'crash', healAfterMs: 1000, ...atFirst('effect-unsent') }],
      visibilityMs: 5000,
    })
    expect(of('effect-applied').map(({ atUs }) => atUs < 20_000_000)).toEqual([true])
  })

  it('clean-up: foreign rows with an expired lock are removed, and those with a live one stay', async () => {
    const found: unknown[] = []
    const asks = (postgres: PostgresAddress | undefined, text: string) => {
      const client = new Client(postgres!.options)
      return client
        .connect()
        .then(() => client.query(text))
        .finally(() => client.end())
    }
    await play(
      {
        ...cleanUp,
        async deploy(context) {
          await cleanUp.deploy!(context)
          const left = (key: string, ends: string) => `('${key}', 'in_progress', now() + INTERVAL '${ends}')`
          const rows = `${left('orphan', '1 second')}, ${left('at work', '1 hour')}`
          await asks(context.postgres, `INSERT INTO idempotency_records VALUES ${rows}`)
        },
        create(context) {
          const handler = cleanUp.create(context) as Handler
          const look = async () => {
            const { rows } = await asks(context.postgres, 'SELECT idempotency_key FROM idempotency_records ORDER BY 1')
            found.push(rows.map((row) => row.idempotency_key))
            return { status: 'done', result: null } as const
          }
          return { ...handler, handle: look }
        },
      },
      { messages: [message('order-1', 100), message('order-2', 61_000)] },
    )
    expect(found).toEqual([['at work', 'orphan'], ['at work']])
  })

  const otherStores = ['004-two-phase-postgres', '004-two-phase-dynamodb']

  it.each(otherStores)('two phases: %s lets one of two simultaneous first attempts in', async (id) => {
    const { of } = await run(id, {
      consumers: 2,
      messages: [message('order-1', 0), message('order-1', 0)],
      effectMs: 3000,
      effectTimeoutMs: 60_000,
    })
    expect(of('effect-applied')).toHaveLength(1)
    expect(of('delivered').length).toBeGreaterThan(2)
  })

  it.each(otherStores)('two phases: STARTED keeps %s from performing for exactly 5 minutes', async (id) => {
    const { of } = await run(id, {
      ...{ consumers: 2, maxAttempts: 50, messages: [message('order-1', 0)] },
      faults: [{ kind: 'crash', healAfterMs: 1000, ...atFirst('effect-applied') }],
    })
    const [, second] = of('effect-applied')
    expect(second!.atUs).toBeGreaterThan(295_000_000)
    expect(of('effect-applied')).toHaveLength(2)
  })

  it.each(otherStores)('two phases: a failed effect is the answer of %s for a day', async (id) => {
    const { of, answers } = await run(id, { messages: [message('order-1', 0)], faults: failing(1) })
    expect(of('effect-applied')).toHaveLength(0)
    expect(new Set(answers.map((answer) => answer.status))).toEqual(new Set(['retry']))
  })

  it('stored response: a copy has the status and the headers of the first', async () => {
    const { answers } = await run('004-stored-response', { messages: twice })
    const reply = { status: 201, headers: { 'content-type': 'application/json', location: '/payments/order-1' } }
    expect(answers.map((answer) => 'reply' in answer && answer.reply)).toEqual([reply, reply])
  })
})
