/** The answer to a COMMIT is lost on a real server. A look-up settles its result. */
import type { Pool, PoolClient } from 'pg'
import { expect, it } from 'vitest'
import { createOnce } from '../../src/impl/once.ts'
import { describeOnPostgres } from './real-postgres.ts'

const message = { key: 'k', payload: { amountCents: 100 }, producedAt: Date.now() }
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

describeOnPostgres('an unanswered COMMIT', (postgres) => {
  const layer = (pool: Pool, leaseMs = 6000) =>
    createOnce<Pool>({ pool, leaseMs, retentionMs: 600_000, sink: { kind: 'transactional' }, isRefusal: () => false })
  const pay = async ({ key, tx }: { key: string; tx: PoolClient }) => {
    await tx.query('INSERT INTO effects (key) VALUES ($1)', [key])
    return 'paid'
  }
  const effects = async () => Number((await postgres.rows('SELECT count(*) FROM effects'))[0]!.count)

  /** Loses the first COMMIT of a pool by `lose`, which gets the client and its actions. */
  const losing = (
    lose: (client: PoolClient, commit: () => Promise<unknown>, end: () => void) => Promise<void>,
  ): Pool => {
    const pool = postgres.open()
    const connect = pool.connect.bind(pool)
    let lost = false
    return Object.assign(pool, {
      async connect() {
        const client = await connect()
        const [query, release] = [client.query.bind(client), client.release.bind(client)] as [
          (...given: unknown[]) => Promise<unknown>,
          (error?: Error) => void,
        ]
        if (lost) return client
        return Object.assign(client, {
          query: async (...given: unknown[]) => {
            if (given[0] !== 'COMMIT' || lost) return query(...given)
            lost = true
            Object.assign(client, { query, release: () => {} })
            await lose(
              client,
              () => query('COMMIT'),
              () => release(new Error('gone')),
            )
            throw new Error('Connection terminated')
          },
        })
      },
    })
  }

  it('is found if it happened', async () => {
    const once = layer(losing(async (_, commit, end) => void (await commit().finally(end))))
    expect(await once.run(message, pay)).toEqual({ status: 'done', result: 'paid', repeated: false })
    expect(await effects()).toBe(1)
  })

  it('is known not to have happened once its session is gone', async () => {
    const once = layer(losing(async (_, __, end) => void setTimeout(end, 300)))
    expect(await once.run(message, pay)).toMatchObject({ status: 'retry', reason: 'rolled-back' })
    expect(await effects()).toBe(0)
    expect(await once.run(message, pay)).toMatchObject({ status: 'done', repeated: false })
  })

  it('is awaited if it arrives after the look-up, because its session is alive', async () => {
    const once = layer(losing(async (_, commit, end) => void setTimeout(() => commit().finally(end), 300)))
    expect(await once.run(message, pay)).toEqual({ status: 'done', result: 'paid', repeated: false })
    expect(await effects()).toBe(1)
  })

  it('is left to the next attempt if its session outlasts the look-up', async () => {
    let end = () => {}
    const once = layer(
      losing(async (_, __, close) => {
        end = close
      }),
      900,
    )
    expect(await once.run(message, pay)).toMatchObject({ status: 'retry', reason: 'effect-unanswered' })
    end()
    await pause(100)
    expect(await once.run(message, pay)).toMatchObject({ status: 'done', repeated: false })
    expect(await effects()).toBe(1)
  })

  it('is not done if its wait for a standby is cancelled, although the server answers it', async () => {
    const settings = async (sql: string) => {
      await postgres.rows(sql)
      await postgres.rows('SELECT pg_reload_conf()')
    }
    const cancelled = async () => {
      const cancel = "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'"
      while ((await postgres.rows(cancel)).length === 0) await pause(10)
    }
    await settings("ALTER SYSTEM SET synchronous_standby_names = 'nobody'")
    try {
      while ((await postgres.rows('SHOW synchronous_standby_names'))[0]!.synchronous_standby_names === '')
        await pause(10)
      // The result of a client that ignores warnings.
      const without = postgres.open().query("INSERT INTO effects (key) VALUES ('without care')")
      await cancelled()
      expect((await without).rowCount).toBe(1)

      const running = layer(postgres.open()).run(message, pay)
      await cancelled()
      expect(await running).toMatchObject({ status: 'retry', reason: 'effect-unanswered' })
      // It is visible, but not acknowledged: a failover would revert it.
      expect(await effects()).toBe(2)
      const copy = layer(postgres.open()).run(message, async () => expect.fail('it may have happened'))
      expect(await copy).toMatchObject({ status: 'retry', reason: 'postgres-unreachable' })
    } finally {
      await settings('ALTER SYSTEM RESET synchronous_standby_names')
    }
    const later = await layer(postgres.open()).run(message, async () => expect.fail('it has happened'))
    expect(later).toEqual({ status: 'done', result: 'paid', repeated: true })
  })
})
