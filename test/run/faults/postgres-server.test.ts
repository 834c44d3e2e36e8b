import { Client } from 'pg'
import { describe, expect, it } from 'vitest'
import { codeOf, pgLayer } from '../../sim/postgres-lab.ts'
import { done, nowMs, play, sleep, withAndWithout } from '../../sim/world-lab.ts'

const at500 = (kind: string) => ({ kind, when: { at: 'time', ms: 500 }, healAfterMs: 1000 }) as const

describe('postgres-restart', () => {
  it('ends sessions, rolls back open transactions, keeps committed ones, and accepts clients again', async () => {
    const seen: unknown[] = []
    const adapter = () =>
      pgLayer(async (_, client, { postgres }) => {
        await client.query("INSERT INTO records VALUES ('committed', 'a')")
        await client.query('BEGIN')
        await client.query("INSERT INTO records VALUES ('open', 'b')")
        await sleep(1000 - nowMs())
        seen.push(await codeOf(client.query('COMMIT')), await codeOf(new Client(postgres!.options).connect()))
        await sleep(2000 - nowMs())
        const again = new Client(postgres!.options)
        await again.connect()
        seen.push((await again.query('SELECT key FROM records ORDER BY key')).rows.map(({ key }) => key))
        return done
      })
    const { struck } = await withAndWithout(adapter, at500('postgres-restart'))
    expect(seen.slice(0, 3)).toEqual([
      expect.stringMatching(/not queryable|terminated|ECONNRESET/),
      'ECONNREFUSED',
      ['committed'],
    ])
    expect(seen.slice(3)).toEqual([null, null, ['committed', 'open']])
    expect(struck.of('fault-struck')).toMatchObject([{ sentence: 'postgres dies', node: 'postgres' }])
    expect(struck.of('fault-healed')).toMatchObject([{ sentence: 'postgres is back with its durable data' }])
    expect(struck.of('data-lost')).toEqual([])
  })

  it('accepts no client during recovery', async () => {
    const codes: (string | null)[] = []
    const adapter = pgLayer(async (_, _client, { postgres }) => {
      for (const ms of [1600, 3000]) {
        await sleep(ms - nowMs())
        codes.push(await codeOf(new Client(postgres!.options).connect()))
      }
      return done
    })
    const postgres = { synchronousCommit: true, maxConnections: 100, recoveryMs: 1000 }
    await play(adapter, { faults: [at500('postgres-restart')], postgres })
    expect(codes).toEqual(['57P03', null])
  })

  it('loses commits that are not durable if synchronous_commit is off', async () => {
    const found = async (synchronousCommit: boolean) => {
      const counts: unknown[] = []
      const adapter = pgLayer(async (_, client, { postgres }) => {
        await sleep(480 - nowMs())
        await client.query("INSERT INTO records VALUES ('late', 'a')")
        await sleep(2000 - nowMs())
        const again = new Client(postgres!.options)
        await again.connect()
        counts.push((await again.query('SELECT count(*) FROM records')).rows[0].count)
        return done
      })
      const faults = [{ ...at500('postgres-restart'), when: { at: 'time', ms: 505 } as const }]
      const played = await play(adapter, {
        faults,
        postgres: { synchronousCommit, maxConnections: 100, recoveryMs: 0 },
      })
      return [...counts, played.of('data-lost').map(({ node, redisKeys }) => [node, redisKeys])]
    }
    expect(await found(false)).toEqual(['0', [['postgres', ['records late a']]]])
    expect(await found(true)).toEqual(['1', []])
  })
})

describe('postgres-failover', () => {
  const found = async (standby: 'synchronous' | 'asynchronous' | undefined) => {
    const seen: unknown[] = []
    const adapter = pgLayer(async (_, client, { postgres }) => {
      await sleep(480 - nowMs())
      await client.query("INSERT INTO records VALUES ('late', 'a')")
      for (const ms of [1000, 2000]) {
        await sleep(ms - nowMs())
        const again = new Client(postgres!.options)
        const code = await codeOf(again.connect())
        seen.push(code ?? (await again.query('SELECT count(*) FROM records')).rows[0].count)
      }
      return done
    })
    const faults = [{ ...at500('postgres-failover'), when: { at: 'time', ms: 505 } as const }]
    const settings = { synchronousCommit: true, maxConnections: 100, recoveryMs: 5000, ...(standby && { standby }) }
    const played = await play(adapter, { faults, postgres: settings })
    const sentences = played.of('fault-struck').map(({ sentence }) => sentence)
    const promoted = played.of('topology').filter(({ what }) => what === 'promoted').length
    return { seen, sentences, promoted, lost: played.of('data-lost').map(({ cause, redisKeys }) => [cause, redisKeys]) }
  }

  it('gives the address to a standby, which has no recovery', async () => {
    expect(await found('synchronous')).toEqual({
      seen: ['ECONNREFUSED', '1'],
      sentences: ['postgres is lost with its disk'],
      promoted: 0,
      lost: [],
    })
  })

  it('loses what an asynchronous standby lacked, and the history records a promotion that may lack data', async () => {
    expect(await found('asynchronous')).toMatchObject({
      promoted: 1,
      seen: ['ECONNREFUSED', '0'],
      lost: [['failover', ['records late a']]],
    })
  })

  it('does not strike a server without a standby', async () => {
    expect(await found(undefined)).toMatchObject({ seen: ['1', '1'], sentences: [], lost: [] })
  })
})

describe('slow-postgres', () => {
  it('executes nothing until it heals, then everything', async () => {
    const at: number[] = []
    const adapter = () =>
      pgLayer(async (_, client) => {
        for (const ms of [100, 1000, 3000]) {
          await sleep(ms - nowMs())
          await client.query('SELECT 1')
          at.push(Math.round(nowMs() / 100))
        }
        return done
      })
    await withAndWithout(adapter, at500('slow-postgres'))
    expect(at).toEqual([1, 15, 30, 1, 10, 30])
  })
})

describe('postgres-connections', () => {
  it('keeps existing sessions, and accepts no others', async () => {
    const seen: unknown[] = []
    const adapter = () =>
      pgLayer(async (_, client, { postgres }) => {
        for (const ms of [1000, 3000]) {
          await sleep(ms - nowMs())
          seen.push(await codeOf(client.query('SELECT 1')), await codeOf(new Client(postgres!.options).connect()))
        }
        return done
      })
    await withAndWithout(adapter, at500('postgres-connections'))
    expect(seen).toEqual([null, '53300', null, null, null, null, null, null])
  })
})
