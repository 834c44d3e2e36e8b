import { Client } from 'pg'
import postgresJs from 'postgres'
import { describe, expect, it } from 'vitest'
import type { CreateContext, Implementation } from '../../../src/contract/api/implementation.ts'
import type { Message, Outcome } from '../../../src/contract/api/message.ts'
import type { PlannedFault } from '../../../src/contract/api/plan.ts'
import { codeOf, pgLayer } from '../postgres-lab.ts'
import { done, nowMs, play, sleep } from '../world-lab.ts'

const insert = "INSERT INTO records VALUES ('order-1', 'a')"

describe('a simulated process', () => {
  it('runs unmodified clients of PostgreSQL: pg and postgres', async () => {
    const rows: unknown[] = []
    const played = await play(
      pgLayer(async (_, client, { postgres }) => {
        await client.query('INSERT INTO records VALUES ($1, $2)', ['k', 'v'])
        const sql = postgresJs(postgres!.url, { fetch_types: false })
        rows.push((await client.query('SELECT * FROM records')).rows, [
          ...(await sql`SELECT * FROM records WHERE key = ${'k'}`),
        ])
        await sql.end()
        return done
      }),
    )
    expect(rows).toEqual([[{ key: 'k', value: 'v' }], [{ key: 'k', value: 'v' }]])
    expect(played.unsupported).toEqual([])
  })

  it('may sleep for any time', async () => {
    const played = await play(
      pgLayer(async (_, client) => {
        await client.query("SELECT pg_sleep('NaN')")
        await client.query("SET statement_timeout = 100; SELECT pg_sleep('Infinity')").catch(() => {})
        return done
      }),
    )
    expect(played.of('answered')).toMatchObject([{ outcome: { status: 'done' } }])
  })

  it('has non-ASCII names in full in the history', async () => {
    const played = await play(
      pgLayer(async (_, client) => {
        await client.query('INSERT INTO records VALUES ($1, $2) RETURNING key', ['café', '注文'])
        return done
      }),
    )
    expect(played.of('command')).toMatchObject([
      { command: expect.stringMatching(/café.*注文/), reply: expect.stringContaining('café') },
    ])
  })

  it('has no PostgreSQL unless its layer requests it', async () => {
    const seen: unknown[] = []
    const played = await play({
      create: ({ postgres }) => ({
        async handle() {
          seen.push(postgres, await codeOf(new Client({ host: 'postgres', user: 'app', password: 'app' }).connect()))
          return done
        },
      }),
    })
    expect(seen).toEqual([undefined, 'ENOTFOUND'])
    expect(played.unsupported).toEqual([expect.stringContaining('a look-up of postgres')])
  })
})

describe('a first deployment', () => {
  it('leaves a run without a verdict if it creates an unsupported type', async () => {
    const layer = pgLayer(() => done)
    const played = await play({
      ...layer,
      async deploy(addresses) {
        await layer.deploy!(addresses)
        const client = new Client(addresses.postgres!.options)
        await client.connect()
        await client.query('CREATE TABLE periods (of int4range)')
      },
    })
    expect(played.unsupported).toEqual(['the type int4range'])
    expect(played.of('delivered')).toEqual([])
  })
})

describe('a fault aimed at a statement', () => {
  const fault = (kind: string, at: 'command-unexecuted' | 'command-executed', label: string, key?: string) =>
    ({ kind, when: { at, consumer: 0, nth: 1, of: key === undefined ? { label } : { label, key } } }) as PlannedFault

  async function committed(...faults: readonly PlannedFault[]) {
    const errors: (string | null)[] = []
    const adapter = pgLayer(async (_, client, { postgres }) => {
      await client.query('BEGIN')
      await client.query(insert)
      errors.push(await codeOf(client.query('COMMIT')))
      const again = new Client(postgres!.options)
      await sleep(3000 - nowMs())
      await again.connect()
      return { status: 'done', result: (await again.query('SELECT key FROM records')).rowCount }
    })
    const played = await play(adapter, { faults, visibilityMs: 20_000 })
    const [answered] = played.of('answered')
    const lost = [...played.of('reply-lost'), ...played.of('request-lost')]
    return { errors, rows: answered?.outcome.status === 'done' && answered.outcome.result, lost, played }
  }

  it('has no effect if there is none', async () => {
    expect(await committed()).toMatchObject({ errors: [null], rows: 1, lost: [] })
  })

  it('can lose the answer to a COMMIT, which has happened', async () => {
    const { errors, rows, lost } = await committed(fault('lost-reply', 'command-executed', 'COMMIT', 'order-1'))
    expect(errors[0]).toMatch(/ECONNRESET|terminated/)
    expect(rows).toBe(1)
    expect(lost).toMatchObject([{ type: 'reply-lost', command: 'COMMIT', process: 'consumer-1' }])
  })

  it('can lose a COMMIT, which has not happened', async () => {
    const { errors, rows, lost } = await committed(fault('lost-request', 'command-unexecuted', 'COMMIT'))
    expect(errors[0]).toMatch(/ECONNRESET|terminated/)
    expect(rows).toBe(0)
    expect(lost).toMatchObject([{ type: 'request-lost', command: 'COMMIT' }])
  })

  it.each([
    ['no statement follows', insert, []],
    ['another statement follows', insert, ["INSERT INTO records VALUES ('order-1', 'b')"]],
  ])('loses a statement whose client hung up during a pause of the server: %s', async (_, first, more) => {
    const played = await play(
      pgLayer(async (_message, client, { postgres }) => {
        await sleep(150 - nowMs())
        const codes = [first, ...more].map((sql) => codeOf(client.query(sql)))
        await sleep(100)
        client.connection.stream.destroy()
        await Promise.all(codes)
        const again = new Client(postgres!.options)
        await sleep(3000 - nowMs())
        await again.connect()
        return { status: 'done', result: (await again.query('SELECT key FROM records')).rowCount }
      }),
      {
        faults: [
          { kind: 'slow-postgres', when: { at: 'time', ms: 100 }, healAfterMs: 1000 } as PlannedFault,
          fault('lost-request', 'command-unexecuted', 'INSERT records'),
        ],
        visibilityMs: 20_000,
      },
    )
    expect(played.of('request-lost')).toMatchObject([{ command: 'INSERT records' }])
    expect(played.of('answered')).toMatchObject([{ outcome: { status: 'done', result: 0 } }])
  })

  it.each([
    ['command-unexecuted', 0],
    ['command-executed', 1],
  ] as const)('can end the server at %s', async (at, rowCount) => {
    const { errors, rows } = await committed({ ...fault('postgres-restart', at, 'COMMIT'), healAfterMs: 1000 })
    expect(errors[0]).toMatch(/ECONNRESET|terminated/)
    expect(rows).toBe(rowCount)
  })

  it('counts a statement without a block as executed when its commit was', async () => {
    const seen: unknown[] = []
    const adapter = pgLayer(async (_, client, { postgres }) => {
      seen.push(await codeOf(client.query('INSERT INTO records VALUES ($1, $2)', ['order-1', 'a'])))
      await sleep(3000 - nowMs())
      const again = new Client(postgres!.options)
      await again.connect()
      seen.push((await again.query('SELECT key FROM records')).rowCount)
      return done
    })
    const restart = { ...fault('postgres-restart', 'command-executed', 'INSERT records', 'order-1'), healAfterMs: 1000 }
    await play(adapter, { faults: [restart], visibilityMs: 20_000 })
    expect(seen).toEqual([expect.stringMatching(/ECONNRESET|terminated/), 1])
  })
})

describe('a transactional sink', () => {
  const layer = (work: (client: Client, statement: () => Promise<void>) => Promise<void>) => ({
    ...pgLayer(async ({ key, payload }, client, { sink }) => {
      let result: unknown
      await work(client, async () => {
        const { text, values, result: gives } = await sink.statement!({ key, payload })
        result = gives
        await client.query(text, values)
      })
      return { status: 'done', result: (result ?? null) as never }
    }),
    sinks: ['transactional'] as Implementation['sinks'],
  })
  const playIt = (adapter: ReturnType<typeof layer>, more = {}) =>
    play(adapter as never, { sink: 'transactional', ...more })

  it('applies the effect when the transaction commits', async () => {
    const played = await playIt(
      layer(async (client, effect) => {
        await client.query('BEGIN')
        await effect()
        await sleep(500 - nowMs())
        await client.query('COMMIT')
      }),
    )
    const [sent] = played.of('effect-sent')
    const [applied, ...more] = played.of('effect-applied')
    expect(more).toEqual([])
    expect(applied).toMatchObject({ key: 'order-1', process: 'consumer-1', requestId: sent!.requestId })
    expect(applied!.atUs).toBeGreaterThan(450_000)
    expect(played.of('effect-answered')).toMatchObject([{ answer: 'receipt', requestId: sent!.requestId }])
    expect(played.of('answered')).toMatchObject([{ outcome: { status: 'done', result: applied!.receipt } }])
  })

  it('applies no effect that is rolled back', async () => {
    const played = await playIt(
      layer(async (client, effect) => {
        await client.query('BEGIN')
        await effect()
        await client.query('ROLLBACK')
      }),
    )
    expect(played.of('effect-sent')).toHaveLength(1)
    expect(played.of('effect-applied')).toEqual([])
  })

  it('applies an effect without a block at once, and twice if it is executed twice', async () => {
    const played = await playIt(
      layer(async (client, effect) => {
        await effect()
        await client.query('INSERT INTO onceproof_effects SELECT * FROM onceproof_effects')
      }),
    )
    expect(played.of('effect-applied').map(({ receipt }) => receipt.effectId)).toEqual(['effect-1', 'effect-1'])
  })

  it('is notified by the answer to the COMMIT, durable or not', async () => {
    const played = await playIt(
      layer(async (client, effect) => {
        await client.query('SET synchronous_commit TO off')
        await client.query('BEGIN')
        await effect()
        await client.query('COMMIT')
      }),
    )
    const [heard, ...more] = played.of('effect-answered')
    expect(more).toEqual([])
    expect(heard!.atUs).toBeLessThanOrEqual(played.of('answered')[0]!.atUs)
  })

  it('is not notified by a transaction that only unblocks that of the effect', async () => {
    const waiting = {
      ...layer(async () => {}),
      create: ({ postgres, sink }: CreateContext) => ({
        async handle({ key, payload }: Message): Promise<Outcome> {
          const first = new Client(postgres!.options)
          const second = new Client(postgres!.options)
          await first.connect()
          second.on('error', () => {})
          await second.connect()
          await first.query(insert)
          const { values } = await sink.statement!({ key, payload })
          await first.query('BEGIN')
          await first.query("UPDATE records SET value = 'b'")
          const row = values.map((value) => `'${value}'`).join(', ')
          const lost = codeOf(
            second.query(
              `WITH changed AS (UPDATE records SET value = 'c') INSERT INTO onceproof_effects VALUES (${row})`,
            ),
          )
          await sleep(1000)
          await first.query('COMMIT')
          expect(await lost).toMatch(/ECONNRESET|terminated/)
          return done
        },
      }),
    }
    const of = { label: 'WITH records' }
    const reply: PlannedFault = { kind: 'lost-reply', when: { at: 'command-executed', consumer: 0, nth: 1, of } }
    const played = await playIt(waiting as never, { faults: [reply] })
    expect(played.of('answered')).toHaveLength(1)
    expect(played.of('effect-applied')).toHaveLength(1)
    expect(played.of('effect-answered')).toEqual([])
  })

  it.each([
    ['an effect_id of the layer', ["'mine'", "'order-1'", "'{}'"]],
    ['another key', ["'effect-1'", "'order-2'", "'{}'"]],
    ['a payload that is not JSON', ["'effect-1'", "'order-1'", "'{'"]],
  ])('has no verdict if a row differs from the given statement: %s', async (_, row) => {
    const played = await playIt({
      ...layer(async () => {}),
      create: (({ postgres, sink }: CreateContext) => ({
        async handle({ key, payload }: Message): Promise<Outcome> {
          const client = new Client(postgres!.options)
          await client.connect()
          await sink.statement!({ key, payload })
          await client.query(`INSERT INTO onceproof_effects VALUES (${row.join(', ')})`)
          return done
        },
      })) as never,
    })
    expect(played.unsupported).toEqual(['a row of onceproof_effects that the sink did not create'])
    expect(played.of('effect-applied')).toEqual([])
  })

  it.each(['TRUNCATE onceproof_effects', 'DROP TABLE onceproof_effects'])('has no verdict after %s', async (text) => {
    const played = await playIt(
      layer(async (client, effect) => {
        await effect()
        await codeOf(client.query(text))
        await client.query('TRUNCATE records')
      }),
    )
    expect(played.unsupported).toEqual([`${text.replace(' onceproof_effects', '')} of onceproof_effects`])
  })

  it.each([
    ['refuse', 'SinkRefusal: the sink refuses this request for good', 'refused', 1],
    ['fail', 'SinkUnavailable: the effect fails, and has no statement', 'error', 0],
  ])('gives no statement if a fault strikes before: %s', async (how, error, answer, refused) => {
    const adapter = layer(async (_, effect) => effect())
    const fault = { kind: 'effect-fails-before', when: { at: 'effect-unsent', consumer: 0, nth: 1 }, how }
    const played = await playIt(adapter, { faults: [fault], maxAttempts: 1 })
    expect(played.of('threw')).toMatchObject([{ error }])
    expect(played.of('effect-answered')).toMatchObject([{ answer, error }])
    expect(played.of('effect-refused')).toHaveLength(refused)
    expect(played.of('effect-applied')).toEqual([])

    const spared = await playIt(adapter, { maxAttempts: 1 })
    expect(spared.of('effect-applied')).toHaveLength(1)
    expect(spared.of('effect-refused')).toEqual([])
  })

  it('reports a statement that never comes', async () => {
    const adapter = layer(async (_, effect) => effect())
    const fault = { kind: 'effect-fails-before', when: { at: 'effect-unsent', consumer: 0, nth: 1 }, how: 'drop' }
    const played = await playIt(adapter, { faults: [fault], maxAttempts: 1 })
    expect(played.of('fault-struck')).toMatchObject([
      { sentence: 'consumer-1 waits for the statement of its effect in vain' },
    ])
    expect(played.of('effect-answered')).toEqual([])
    expect(played.of('effect-applied')).toEqual([])
  })

  it('does not answer a process that has died with its effect', async () => {
    const when = { at: 'effect-unsent', consumer: 0, nth: 1 }
    const faults = [
      { kind: 'effect-fails-before', when, how: 'refuse' },
      { kind: 'crash', when, healAfterMs: 100 },
    ]
    const played = await playIt(
      layer(async (_, effect) => effect()),
      { faults },
    )
    expect(played.of('effect-refused')).toEqual([])
    expect(played.of('effect-applied')).toHaveLength(1)
  })

  it('rejects requests, because effects are only statements', async () => {
    const codes: unknown[] = []
    await playIt({
      ...layer(async () => {}),
      create: ({ sink }) => ({
        async handle({ key, payload }) {
          codes.push(await codeOf(sink.perform({ key, payload })))
          return done
        },
      }),
    })
    expect(codes).toEqual([expect.stringContaining('execute its `statement`')])
  })
})
