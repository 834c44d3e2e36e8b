/**
 * The layer with effects that are rows of its database: what a caller observes, on a real server.
 */
import type { Pool, PoolClient } from 'pg'
import { expect, it } from 'vitest'
import { createOnce, type OnceEvent, type OnceTransactionOptions } from '../../src/impl/once.ts'
import { describeOnPostgres } from './real-postgres.ts'

class Refusal extends Error {}

const message = { key: 'k', payload: { amountCents: 100 }, producedAt: Date.now() }
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

/** PostgreSQL cannot store the error text. */
const unreadable = {
  get member(): never {
    throw new Error('a\0b')
  },
}

describeOnPostgres('once.run with a pool and a transactional sink', (postgres) => {
  const layer = (options: Partial<OnceTransactionOptions<Pool>> = {}) =>
    createOnce<Pool>({
      ...{ pool: postgres.pool, leaseMs: 6000, retentionMs: 600_000 },
      isRefusal: (error) => error instanceof Refusal,
      ...options,
      sink: { kind: 'transactional' },
    })
  const pay = async ({ key, tx }: { key: string; tx: PoolClient }) => {
    await tx.query('INSERT INTO effects (key) VALUES ($1)', [key])
    return { paid: key }
  }
  const never = async (): Promise<never> => expect.fail('an effect that must not be performed')
  const effects = async () => Number((await postgres.rows('SELECT count(*) FROM effects'))[0]!.count)
  const records = async () => postgres.rows('SELECT key, state, result, error FROM once_records')

  it('commits the effect of competing copies once, with its record, and returns its result to the others', async () => {
    const consumers = [layer(), layer({ pool: postgres.open() }), layer({ pool: postgres.open() })]
    const outcomes = await Promise.all(consumers.map((once) => once.run(message, pay)))
    expect(outcomes.map(({ status }) => status)).toEqual(['done', 'done', 'done'])
    expect(outcomes.filter((outcome) => outcome.status === 'done' && !outcome.repeated)).toHaveLength(1)
    expect(await layer().run(message, never)).toEqual({ status: 'done', result: { paid: 'k' }, repeated: true })
    expect([await effects(), await records()]).toEqual([
      1,
      [{ key: 'k', state: 'completed', result: '{"paid":"k"}', error: null }],
    ])
  })

  it('answers held if its transaction outlasts the wait of a copy', async () => {
    const [taken, answered] = [gate(), gate()]
    const slow = layer({ leaseMs: 3000 }).run(message, async ({ key, tx }) => {
      taken.open()
      // Also longer than its lease, because its process lives.
      await Promise.all([answered.opened, pause(3100)])
      return pay({ key, tx })
    })
    await taken.opened
    expect(await layer().run(message, never)).toMatchObject({ status: 'retry', reason: 'held' })
    answered.open()
    expect(await slow).toMatchObject({ status: 'done', repeated: false })
  })

  it('lets the server end the transaction of a holder that is silent for a lease, which frees the key', async () => {
    const [ended, stopped] = [gate(), gate()]
    const silent = await postgres.pool.connect()
    silent.on('error', ended.open)
    const pool: Pool = Object.assign(postgres.open(), {
      // Its process is paused: it sends nothing more.
      connect: async () => Object.assign(silent, { query: silencedAfter(silent, 'INSERT INTO effects', stopped.open) }),
    })
    void layer({ pool, leaseMs: 3000 }).run(message, pay)
    await stopped.opened
    expect(await layer().run(message, never)).toMatchObject({ status: 'retry', reason: 'held' })
    await ended.opened
    expect(await layer().run(message, pay)).toMatchObject({ status: 'done', repeated: false })
    expect(await effects()).toBe(1)
  })

  it('keeps nothing of an effect that rejects, including later queries', async () => {
    let late: Promise<unknown> = Promise.resolve()
    const events: string[] = []
    const once = layer({ onEvent: ({ type }: OnceEvent) => events.push(type) })
    const outcome = await once.run(message, async ({ key, tx }) => {
      await pay({ key, tx })
      late = pause(50).then(() => pay({ key, tx }))
      throw new Error('no stock')
    })
    expect(outcome).toMatchObject({ status: 'retry', reason: 'rolled-back', cause: { message: 'no stock' } })
    await expect(late).rejects.toThrow()
    expect([await effects(), await records(), events]).toEqual([0, [], ['acquired', 'abandoned', 'ended']])
    expect(await once.run(message, pay)).toMatchObject({ status: 'done', repeated: false })
  })

  it('records a refusal, and nothing else of its effect', async () => {
    const refuse = async ({ key, tx }: { key: string; tx: PoolClient }) => {
      await pay({ key, tx })
      throw new Refusal('declined\0')
    }
    expect(await layer().run(message, refuse)).toEqual({ status: 'refused', error: 'declined\uFFFD', repeated: false })
    expect(await layer().run(message, never)).toEqual({ status: 'refused', error: 'declined\uFFFD', repeated: true })
    expect(await effects()).toBe(0)
  })

  it('rejects a key with another payload, and invalid keys', async () => {
    await layer().run(message, pay)
    expect(await layer().run({ ...message, payload: 1 }, never)).toMatchObject({
      status: 'conflict',
      reason: 'payload',
    })
    await expect(layer().run({ ...message, key: 'a\0' }, never)).rejects.toThrow('"a\\u0000" has U+0000')
    await expect(layer().run({ ...message, key: 'ö'.repeat(1301) }, never)).rejects.toThrow('has 2602 bytes')
    expect(await layer().run({ ...message, key: 'ö'.repeat(1300) }, pay)).toMatchObject({ status: 'done' })
  })

  it('is in doubt about messages whose records may have been deleted, or whose age is unknown', async () => {
    const at = (producedAt: number) => layer().run({ ...message, producedAt }, never)
    expect(await at(Date.now() - 600_001)).toEqual({ status: 'in-doubt', reason: 'older-than-retention' })
    expect(await at(Date.now() + 5000)).toEqual({ status: 'in-doubt', reason: 'from-the-future' })
    expect(await records()).toEqual([])
  })

  it('deletes records only after their time to live', async () => {
    const once = layer()
    await once.run(message, pay)
    expect(await once.prune()).toEqual({ status: 'pruned', records: 0 })
    await postgres.rows('UPDATE once_records SET expires_ms = expires_ms - 602000')
    expect(await once.prune()).toEqual({ status: 'pruned', records: 1 })
  })

  it('gives the effect the settings of its session, and always commits durably', async () => {
    const pool = postgres.open({ options: '-c synchronous_commit=off -c lock_timeout=1234' })
    const seen: unknown[] = []
    await layer({ pool }).run(message, async ({ tx }) => {
      seen.push((await tx.query('SHOW lock_timeout')).rows[0].lock_timeout)
      const wait = 'CREATE OR REPLACE FUNCTION seen() RETURNS trigger LANGUAGE plpgsql AS'
      await tx.query(
        `${wait} $$ BEGIN PERFORM set_config('seen.commit', current_setting('synchronous_commit'), false); RETURN NULL; END $$`,
      )
      await tx.query(
        'CREATE CONSTRAINT TRIGGER seen AFTER INSERT ON effects DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION seen()',
      )
      await pay({ key: 'k', tx })
    })
    seen.push(
      (
        await pool.query(
          "SELECT current_setting('seen.commit') AS commit, current_setting('synchronous_commit') AS after",
        )
      ).rows[0],
    )
    expect(seen).toEqual(['1234ms', { commit: 'on', after: 'off' }])
  })

  it('reports that the effect ended the transaction itself', async () => {
    const rolledBack = await layer().run(message, async ({ key, tx }) => {
      await pay({ key, tx })
      await tx.query('ROLLBACK')
    })
    expect(rolledBack).toMatchObject({ status: 'retry', reason: 'rolled-back' })
    expect((rolledBack as { cause: Error }).cause.message).toContain('the effect ended its transaction')
    const committed = await layer().run(message, async ({ key, tx }) => {
      await pay({ key, tx })
      await tx.query('COMMIT')
    })
    expect([committed, await effects()]).toMatchObject([{ status: 'done', repeated: false }, 1])
  })

  it('is not done if leftover work of the effect fails the transaction: its COMMIT is answered by a rollback', async () => {
    const leaving = async ({ key, tx }: { key: string; tx: PoolClient }) => {
      await tx.query('INSERT INTO effects (key) VALUES ($1)', [key])
      // Sent after the record was written, and before COMMIT.
      setImmediate(() => tx.query('SELECT 1/0').catch(() => {}))
      return 'paid'
    }
    const answer = await layer().run(message, leaving)
    expect(await effects()).toBe(0)
    expect(answer).toMatchObject({ status: 'retry', reason: 'rolled-back' })
  })

  it('reports that an effect was rolled back if its transaction or session ended before its record was written', async () => {
    const events: string[] = []
    const once = layer({ onEvent: ({ type }: OnceEvent) => events.push(type), isRefusal: () => true })
    const wentOn = await once.run(message, async ({ key, tx }) => {
      await pay({ key, tx })
      await tx.query('SELECT 1/0').catch(() => {})
    })
    expect(wentOn).toMatchObject({ status: 'retry', reason: 'rolled-back' })
    expect((wentOn as { cause: Error }).cause.message).toContain('the effect went on after one of its statements')
    const ended = await once.run(message, async ({ key, tx }) => {
      await pay({ key, tx })
      const [session] = (await tx.query('SELECT pg_backend_pid() AS pid')).rows
      await postgres.rows('SELECT pg_terminate_backend($1, 5000)', [session.pid])
    })
    expect(ended).toMatchObject({ status: 'retry', reason: 'rolled-back' })
    expect([await effects(), await records(), events]).toEqual([
      0,
      [],
      ['acquired', 'abandoned', 'ended', 'acquired', 'abandoned', 'ended'],
    ])
  })

  it('is done if the result cannot be kept, whatever the text of the reason', async () => {
    const gives = async ({ key, tx }: { key: string; tx: PoolClient }) => {
      await pay({ key, tx })
      return unreadable
    }
    const done = { status: 'done-unkept', unkept: 'a\uFFFDb' }
    expect(await layer().run(message, gives)).toEqual({ ...done, repeated: false })
    expect(await layer().run(message, never)).toEqual({ ...done, repeated: true })
  })

  it('is in doubt if a record was committed without a result', async () => {
    void layer().run(message, async ({ key, tx }) => {
      await pay({ key, tx })
      await tx.query('COMMIT')
      await new Promise(() => {}) // and its process dies
    })
    while ((await effects()) === 0);
    expect(await layer().run(message, never)).toEqual({ status: 'in-doubt', reason: 'attempt-vanished' })
  })

  it('rejects by name an object that is not a pool, and two stores at once', () => {
    expect(() => layer({ pool: { host: 'localhost' } as unknown as Pool })).toThrow('pool: not a Pool of pg')
    expect(() => createOnce({ ...{ pool: postgres.pool, redis: {} } } as never)).toThrow('`redis` or `pool`, not both')
  })
})

function gate() {
  let open = () => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return { open: () => open(), opened }
}

/** Sends nothing from the first such statement on. */
function silencedAfter(client: PoolClient, start: string, onSilence: () => void) {
  const query = client.query.bind(client) as (...given: unknown[]) => Promise<unknown>
  let silent = false
  return (...given: unknown[]) => {
    if (String(given[0]).startsWith(start)) {
      silent = true
      onSilence()
    }
    return silent ? new Promise(() => {}) : query(...given)
  }
}
