/**
 * The layer on PostgreSQL with effects outside the database: what a caller observes, on a real
 * server.
 */
import { Pool } from 'pg'
import { freePort } from 'test-servers'
import { expect, it } from 'vitest'
import {
  createOnce,
  createOnceTables,
  type KeyInDoubt,
  type OnceEvent,
  type OncePostgresOptions,
  onceTablesIn,
} from '../../src/impl/once.ts'
import { describeOnPostgres } from './real-postgres.ts'

class Refusal extends Error {}

const message = { key: 'k', payload: { amountCents: 100 }, producedAt: Date.now() }

describeOnPostgres('once.run with a pool', (postgres) => {
  const layer = (options: Partial<OncePostgresOptions<Pool>> = {}) =>
    createOnce<Pool>({
      ...{ pool: postgres.pool, leaseMs: 30_000, retentionMs: 600_000 },
      isRefusal: (error: unknown) => error instanceof Refusal,
      ...options,
    })
  const never = async (): Promise<never> => expect.fail('an effect that must not be performed')
  const fails = (error: Error) => async () => {
    throw error
  }
  const state = async () => (await postgres.rows('SELECT state FROM once_records'))[0]?.state
  /** A begun record whose holder vanished, and whose lease has ended. */
  const vanished = async (once = layer()) => {
    void once.run(message, () => new Promise(() => {}))
    while ((await state()) !== 'begun');
    await postgres.rows('UPDATE once_records SET deadline_ms = 1')
  }
  const doubts = async (once = layer()) => {
    const found: KeyInDoubt[] = []
    for await (const doubt of once.doubts()) found.push(doubt)
    return found
  }

  it('performs the effect of competing copies once, after its begin is recorded', async () => {
    let effects = 0
    const states: unknown[] = []
    // The effect lasts until both others were answered.
    let others = () => {}
    const answered = new Promise<void>((resolve) => {
      others = resolve
    })
    const effect = async () => {
      states.push(await state())
      await answered
      return { id: ++effects }
    }
    let held = 0
    const outcomes = await Promise.all(
      [layer(), layer(), layer()].map(async (once) => {
        const outcome = await once.run(message, effect)
        if (outcome.status === 'retry' && outcome.reason === 'held' && ++held === 2) others()
        return outcome.status
      }),
    )
    expect(outcomes.sort()).toEqual(['done', 'retry', 'retry'])
    expect(await layer().run(message, never)).toEqual({ status: 'done', result: { id: 1 }, repeated: true })
    expect([effects, states]).toEqual([1, ['begun']])
    expect(await layer().run({ ...message, payload: 1 }, never)).toMatchObject({
      status: 'conflict',
      reason: 'payload',
    })
  })

  it('does not repeat a begun effect, and a settlement settles only its own doubt', async () => {
    const sink = { kind: 'plain', settledByHand: true } as const
    await vanished()
    expect(await layer().run(message, never)).toEqual({
      status: 'in-doubt',
      reason: 'attempt-vanished',
      doubt: (await doubts())[0],
    })
    const [doubt] = await doubts()
    expect(await layer().status('k')).toEqual({ status: 'in-doubt', doubt })
    expect(await layer({ sink }).settle(doubt!, { status: 'barred' })).toEqual({ status: 'open' })
    expect(await layer({ sink }).settle(doubt!, { status: 'barred' })).toEqual({ status: 'stale' })
    await vanished(layer({ sink }))
    expect(await layer({ sink }).settle(doubt!, { status: 'barred' })).toEqual({ status: 'stale' })
    const [second] = await doubts()
    expect(await layer().settle(second!, { status: 'applied', result: 7 })).toEqual({ status: 'done', result: 7 })
    expect([await layer().run(message, never), await doubts()]).toEqual([
      { status: 'done', result: 7, repeated: true },
      [],
    ])
  })

  it('gives the next attempt a fence above the barring one, with or without a recorded begin', async () => {
    const once = layer({ sink: { kind: 'plain', settledByHand: true } })
    const highest = Number.MAX_SAFE_INTEGER - 1
    const above = async ({ fence }: { fence: number }) => fence - highest
    await vanished(once)
    const [doubt] = await doubts()
    expect(await once.settle(doubt!, { status: 'barred', highest })).toEqual({ status: 'open' })
    expect(await once.run(message, above)).toMatchObject({ status: 'done', result: 1 })
    await postgres.rows('DELETE FROM once_records')
    const absent = { ...doubt!, handle: { ...doubt!.handle, nonce: '', reportedUs: Date.now() * 1000 } }
    await expect(once.settle(absent, { status: 'barred', highest: highest + 1 })).rejects.toThrow(
      'settle: highest: 9007199254740991 leaves no room for later fences: give an integer from 0 to 9007199254740990, or remove it',
    )
    expect(await once.settle(absent, { status: 'barred', highest })).toEqual({ status: 'open' })
    expect(await once.run(message, above)).toMatchObject({ status: 'done', result: 1 })
  })

  it('allows nothing if a doubt without a record is settled later than the retention, however high its fence is', async () => {
    const once = layer({ sink: { kind: 'plain', settledByHand: true } })
    const highest = Number.MAX_SAFE_INTEGER - 1
    await vanished(once)
    expect(await once.settle((await doubts())[0]!, { status: 'barred', highest })).toEqual({ status: 'open' })
    await postgres.rows('DELETE FROM once_generations')
    const retentionMs = 200
    const reported: unknown[] = []
    const reconcile = async () => {
      const asked = performance.now()
      while (performance.now() - asked < retentionMs + 1) await postgres.rows('SELECT pg_sleep(0.05)')
      return { status: 'barred' } as const
    }
    const late = layer({
      ...{ leaseMs: 100, retentionMs, sink: { kind: 'plain', reconcile } },
      onEvent: ({ type }) => reported.push(type),
    })
    expect(await late.run(message, never)).toMatchObject({ reason: 'barred' })
    expect(reported).toContain('reconciled')
    expect(reported).not.toContain('reopened')
    expect((await layer().run(message, never)).status).toBe('in-doubt')
  })

  it('settles no doubt of a generation that an operator has ended, because data were lost since then', async () => {
    const once = layer({ sink: { kind: 'plain', settledByHand: true } })
    await vanished(once)
    const [doubt] = await doubts()
    const handle = { ...doubt!.handle, nonce: '', reportedUs: Date.now() * 1000 }
    const absent = { ...doubt!, key: 'absent', handle }
    await postgres.rows('DELETE FROM once_generations')
    for (const reported of [doubt!, absent])
      expect(await once.settle(reported, { status: 'barred' })).toEqual({ status: 'stale' })
    await once.status('k') // This run notices the loss.
    for (const reported of [doubt!, absent])
      expect(await once.settle(reported, { status: 'barred' })).toEqual({ status: 'stale' })
    expect([await state(), (await doubts()).length]).toEqual(['begun', 1])
    expect(await once.settle((await doubts())[0]!, { status: 'barred' })).toEqual({ status: 'open' })
  })

  it('reports when, where, and for which purpose an effect in doubt was begun', async () => {
    const once = layer({ process: 'worker-1', sink: { kind: 'plain', settledByHand: true } })
    const about = { ...message, meta: { order: 17 } }
    const work = { prepare: async () => 'r', meta: (request: string) => ({ request }), effect: fails(new Error('502')) }
    const begun = { process: 'worker-1', meta: { order: 17, request: 'r' }, producedAt: message.producedAt }
    const first = await once.run(about, work)
    expect(first).toMatchObject({ status: 'in-doubt', doubt: { ...begun, attempt: 1 } })
    const { doubt } = first as { doubt: KeyInDoubt }
    const [{ now }] = (await postgres.rows('SELECT extract(epoch FROM now()) * 1000 AS now')) as [{ now: string }]
    expect(Math.abs(Number(now) - doubt.begunAt!)).toBeLessThan(60_000)
    expect(await once.settle(doubt, { status: 'barred' })).toEqual({ status: 'open' })
    await once.run(about, work)
    await postgres.rows('UPDATE once_records SET deadline_ms = 1')
    expect(await doubts()).toMatchObject([{ ...begun, attempt: 2 }])
    // A begin of an older version leaves these columns of the begin before it.
    await postgres.rows('UPDATE once_records SET fence = fence + 1')
    expect(await doubts()).toMatchObject([{ begunAt: null, process: null, attempt: null, meta: null }])
    expect(await once.settle((await doubts())[0]!, { status: 'applied', result: 1 })).toMatchObject({ status: 'done' })
    const kept = 'SELECT begun_ms, begun_fence, begins, process, meta FROM once_records'
    expect(await postgres.rows(kept)).toEqual([
      { begun_ms: null, begun_fence: null, begins: 0, process: null, meta: null },
    ])
  })

  it('says what differs if a key has another message', async () => {
    await layer().run(message, async () => 1)
    const { producedAt } = message
    const again = await layer().run({ ...message, producedAt: producedAt + 5 }, never)
    const hint = expect.stringContaining('Date.now()')
    expect(again).toMatchObject({ reason: 'producedAt', recorded: { producedAt }, hint })
    const both = await layer().run({ ...message, payload: 1, producedAt: producedAt + 5 }, never)
    expect(both).toMatchObject({ status: 'conflict', reason: 'payload-and-producedAt' })
    await postgres.rows('UPDATE once_records SET produced_ms = NULL')
    const unknown = await layer().run({ ...message, payload: 1 }, never)
    expect(unknown).toMatchObject({ reason: 'unknown', recorded: { producedAt: null } })
  })

  it('grants fences up to the last safe integer, and then nothing', async () => {
    const once = layer({ sink: { kind: 'keyed' } })
    await once.run(message, { prepare: fails(new Error('no database')), effect: never })
    await postgres.rows(`UPDATE once_records SET fence = ${Number.MAX_SAFE_INTEGER - 1}`)
    const unprepared = { prepare: fails(new Error('no database')), effect: never }
    expect(await once.run(message, unprepared)).toMatchObject({ reason: 'prepare-failed' })
    expect(await once.run(message, unprepared)).toMatchObject({ status: 'retry', reason: 'fences-exhausted' })
    expect(await postgres.rows('SELECT fence FROM once_records')).toEqual([{ fence: String(Number.MAX_SAFE_INTEGER) }])
  })

  it('records done if the result cannot be kept, whatever the text of the reason', async () => {
    const done = { status: 'done-unkept', unkept: 'a\uFFFDb' }
    const gives = async () => ({
      get member(): never {
        throw new Error('a\0b')
      },
    })
    expect(await layer().run(message, gives)).toEqual({ ...done, repeated: false })
    expect(await layer().run(message, never)).toEqual({ ...done, repeated: true })
  })

  it('lets a keyed sink settle vanished attempts', async () => {
    const sink = { kind: 'keyed' } as const
    await vanished(layer({ sink }))
    expect(await layer({ sink }).run(message, async () => 1)).toMatchObject({ status: 'done', result: 1 })
  })

  it('records a refusal, counts attempts, and releases the key if preparing fails', async () => {
    const once = layer({ maxAttempts: 2 })
    const failing = { prepare: fails(new Error('no rate')), effect: never }
    for (const _ of [1, 2])
      expect(await once.run(message, failing)).toMatchObject({ status: 'retry', reason: 'prepare-failed' })
    expect(await once.run(message, never)).toEqual({ status: 'failed', attempts: 2 })
    expect(await once.status('k')).toEqual({ status: 'failed', attempts: 2 })
    expect(await once.resetAttempts('k')).toEqual({ status: 'reset' })
    const refused = { status: 'refused', error: 'declined', repeated: false }
    expect(await once.run(message, fails(new Refusal('declined')))).toEqual(refused)
    expect(await once.run(message, never)).toEqual({ ...refused, repeated: true })
  })

  it('uncounts an attempt that ended for lack of PostgreSQL, and releases its key, once PostgreSQL answers again', async () => {
    let answers = true
    const connect = async () => {
      if (!answers) throw new Error('nobody answers')
      return postgres.pool.connect()
    }
    const pool = Object.assign(Object.create(postgres.pool), { connect }) as Pool
    const once = layer({ pool, leaseMs: 900, maxAttempts: 1 })
    const prepare = async () => {
      expect(await postgres.rows('SELECT state, attempts FROM once_records')).toEqual([
        { state: 'acquired', attempts: 1 },
      ])
      answers = false
    }
    const outcome = await once.run(message, { prepare, effect: never })
    expect(outcome).toMatchObject({ status: 'retry', reason: 'postgres-unreachable' })
    answers = true
    while ((await state()) !== 'free');
    expect(await postgres.rows('SELECT attempts, counted FROM once_records')).toEqual([{ attempts: 0, counted: null }])
    expect(await once.run(message, async () => 1)).toMatchObject({ status: 'done', result: 1 })
  })

  it('keeps its lease during a longer effect', async () => {
    const events: string[] = []
    const once = layer({ leaseMs: 600, onEvent: ({ type }: OnceEvent) => events.push(type) })
    const running = once.run(message, () => new Promise((resolve) => setTimeout(() => resolve(1), 1500)))
    await new Promise((resolve) => setTimeout(resolve, 1000))
    expect(await layer({ leaseMs: 600 }).run(message, never)).toMatchObject({ status: 'retry', reason: 'held' })
    expect([await running, events.includes('renewed')]).toMatchObject([{ status: 'done' }, true])
  })

  it('begins nothing after its lease has ended, or once another attempt has the key', async () => {
    const outcome = await layer({ leaseMs: 900 }).run(message, {
      prepare: async () => void (await postgres.rows('UPDATE once_records SET deadline_ms = 1')),
      effect: never,
    })
    expect(outcome).toMatchObject({ status: 'retry', reason: 'lease-lost' })
    const taken = await layer().run(message, {
      prepare: async () => void (await postgres.rows("UPDATE once_records SET owner = 'another'")),
      effect: never,
    })
    expect(taken).toMatchObject({ status: 'retry', reason: 'lease-lost' })
  })

  it('shortens a lease that a clock set back made too long', async () => {
    await layer().run(message, { prepare: fails(new Error()), effect: never })
    await postgres.rows("UPDATE once_records SET state = 'acquired', deadline_ms = deadline_ms + 4000000000000")
    expect(await layer().run(message, never)).toMatchObject({ status: 'retry', reason: 'held' })
    expect(await layer().status('k')).toMatchObject({ status: 'held', begun: false })
    const [{ left }] = (await postgres.rows(
      'SELECT deadline_ms - extract(epoch FROM now()) * 1000 AS left FROM once_records',
    )) as [{ left: string }]
    expect(Number(left)).toBeLessThanOrEqual(30_000)
  })

  it('answers in bounded time if the server is silent, down or full', async () => {
    const down = new Pool({ host: '127.0.0.1', port: await freePort() })
    const outcome = await layer({ pool: down, leaseMs: 900 }).run(message, never)
    expect(outcome).toMatchObject({ status: 'retry', reason: 'postgres-unreachable', cause: { code: 'ECONNREFUSED' } })
    const full = postgres.open({ max: 1 })
    const taken = await full.connect()
    const refused = await layer({ pool: full, leaseMs: 900 }).run(message, never)
    expect(refused).toMatchObject({ cause: { message: 'the pool gave no client in time' } })
    taken.release()
    expect(await layer({ pool: full }).run(message, async () => 1)).toMatchObject({ status: 'done' })
  })

  it('is in doubt about messages from before an unknown timeline, and reports it once', async () => {
    await postgres.rows('DELETE FROM once_generations')
    const events: string[] = []
    const onEvent = ({ type }: OnceEvent) => events.push(type)
    for (const _ of [1, 2])
      expect(await layer({ onEvent }).run(message, never)).toMatchObject({
        status: 'in-doubt',
        reason: 'older-than-the-data',
      })
    expect(events).toEqual(['loss-noticed', 'ended', 'ended'])
    const sink = { kind: 'keyed' } as const
    expect(await layer({ sink }).run(message, async () => 1)).toMatchObject({ status: 'done' })
    const later = { ...message, key: 'later', producedAt: Date.now() + 1001 }
    await new Promise((resolve) => setTimeout(resolve, 1100))
    expect(await layer().run(later, async () => 1)).toMatchObject({ status: 'done' })
  })

  it('notices a restore with the same timeline only if the operator deletes the generations, as documented', async () => {
    await layer().run(message, async () => 1)
    await postgres.rows('DELETE FROM once_records')
    expect(await layer().run(message, async () => 2)).toMatchObject({ status: 'done', repeated: false })
    await postgres.rows('DELETE FROM once_records')
    await postgres.rows('DELETE FROM once_generations')
    await createOnceTables({ pool: postgres.pool, since: Date.now() })
    expect(await layer().run(message, never)).toMatchObject({ status: 'in-doubt', reason: 'older-than-the-data' })
  })

  it('notices the promotion of a standby, unless every standby has each commit', async () => {
    const standby = await postgres.standby()
    const pool = postgres.open({ port: standby.port })
    await pool.query('SELECT pg_promote()')
    const late = { ...message, key: 'lost' }
    expect(await layer({ pool }).run(late, never)).toMatchObject({ status: 'in-doubt', reason: 'older-than-the-data' })
    const synchronous = layer({ pool, synchronousStandby: true })
    expect(await synchronous.run(late, async () => 1)).toMatchObject({ status: 'done' })
  })

  it('deletes records only after their time to live', async () => {
    await layer().run(message, async () => 1)
    expect(await layer().prune()).toEqual({ status: 'pruned', records: 0 })
    await postgres.rows('UPDATE once_records SET expires_ms = expires_ms - 602000')
    expect(await layer().prune()).toEqual({ status: 'pruned', records: 1 })
  })
})

describeOnPostgres('the tables', (postgres) => {
  const run = () =>
    createOnce({ pool: postgres.pool, leaseMs: 30_000, retentionMs: 600_000 }).run(message, async () => 1)
  const cause = async () => ((await run()) as { cause?: Error }).cause?.message

  it('are created once, even by several callers at a time, and existing ones are not changed', async () => {
    await postgres.rows('DROP TABLE once_records, once_generations')
    await Promise.all([1, 2, 3].map(() => createOnceTables({ pool: postgres.pool, since: message.producedAt - 1500 })))
    await createOnceTables({ pool: postgres.pool })
    expect(await postgres.rows('SELECT born_ms FROM once_generations')).toEqual([
      { born_ms: String(message.producedAt - 1500) },
    ])
    expect(await run()).toMatchObject({ status: 'done' })
    await expect(createOnceTables({ pool: postgres.pool, since: -1 })).rejects.toThrow(RangeError)
  })

  it('of an older version are refused with the remedy, which adds its columns and keeps its records', async () => {
    await run()
    const added = ['produced_ms', 'begins', 'begun_fence', 'begun_ms', 'process', 'meta']
    await postgres.rows(`ALTER TABLE once_records ${added.map((name) => `DROP COLUMN ${name}`).join(', ')}`)
    expect(await cause()).toBe(
      'the table once_records is of an older version: call createOnceTables, which adds columns, and then start this one',
    )
    await createOnceTables({ pool: postgres.pool })
    expect(await run()).toMatchObject({ status: 'done', repeated: true })
    await createOnceTables({ pool: postgres.pool })
  })

  it('of two namespaces are separate', async () => {
    const inNamespace = (namespace: string) =>
      createOnce({ pool: postgres.pool, namespace, leaseMs: 30_000, retentionMs: 600_000 })
    expect(onceTablesIn('pay')).toContain('CREATE TABLE IF NOT EXISTS once_pay_records')
    for (const namespace of ['pay', 'ship']) {
      await postgres.rows(`DROP TABLE IF EXISTS once_${namespace}_records, once_${namespace}_generations`)
      await createOnceTables({ pool: postgres.pool, namespace })
      const outcome = await inNamespace(namespace).run(message, async () => namespace)
      expect(outcome).toMatchObject({ status: 'done', result: namespace, repeated: false })
    }
    expect(await run()).toMatchObject({ status: 'done', result: 1, repeated: false })
    expect(await inNamespace('pay').status(message.key)).toEqual({ status: 'done', result: 'pay' })
    expect(await inNamespace('ship').prune()).toEqual({ status: 'pruned', records: 0 })
    expect(() => onceTablesIn('Pay; DROP TABLE')).toThrow("namespace: 'Pay; DROP TABLE' is not valid")
    await expect(createOnceTables({ pool: postgres.pool, namespace: 'a-b' })).rejects.toThrow(TypeError)
  })

  it('are reported by name if they are missing, and nothing is performed', async () => {
    await postgres.rows('DROP TABLE once_records')
    expect(await run()).toMatchObject({ status: 'retry', reason: 'postgres-unreachable' })
    expect(await cause()).toBe(
      'PostgreSQL has no table once_records on the search path: call createOnceTables once, before the first consumer starts',
    )
  })

  it('are refused with the missing right if the role may not use them', async () => {
    await postgres.rows('DROP ROLE IF EXISTS consumer')
    await postgres.rows('CREATE ROLE consumer LOGIN')
    const asConsumer = async () => {
      const pool = postgres.open({ user: 'consumer' })
      return createOnce({ pool, leaseMs: 900, retentionMs: 600_000 }).run(message, async () => 1)
    }
    const refused = (await asConsumer()) as { reason: string; cause: Error }
    expect(refused.reason).toBe('postgres-unreachable')
    expect(refused.cause.message).toBe(
      'PostgreSQL answered: permission denied for table once_records. ' +
        'GRANT SELECT, INSERT, UPDATE, DELETE ON once_records, once_generations TO the role of the pool',
    )
    await postgres.rows('GRANT SELECT, INSERT, UPDATE, DELETE ON once_records, once_generations TO consumer')
    expect(await asConsumer()).toMatchObject({ status: 'done' })
  })

  it.each([
    [
      'ALTER TABLE once_records ALTER COLUMN result TYPE jsonb USING result::jsonb',
      'its column result has another type',
    ],
    ['ALTER TABLE once_records DROP COLUMN permit', 'column "permit" does not exist'],
    ['ALTER TABLE once_records DROP CONSTRAINT once_records_pkey', 'no unique or exclusion constraint'],
  ])('are refused with the difference if they differ: %s', async (sql, wrong) => {
    await postgres.rows(sql)
    const said = await cause()
    expect(said).toContain("the table once_records is not the layer's: ")
    expect(said).toContain(wrong)
    await expect(createOnceTables({ pool: postgres.pool })).rejects.toThrow(wrong)
  })
})
