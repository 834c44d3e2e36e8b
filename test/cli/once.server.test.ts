/** `once …` on real servers, as an operator types it. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { adopt, createOnce, type Once } from '../../src/impl/once.ts'
import { buckets, closeLayers, freshMessage, layerAt, never } from '../impl/layers.ts'
import { describeOnPostgres } from '../impl/real-postgres.ts'
import { describeOnRedis } from '../impl/real-redis.ts'
import { expectRefusal } from './refusal.ts'
import { temporaryFolder, write } from './run-cli.ts'
import { onceproofHere } from './run-here.ts'

const fails = (error: Error) => async () => {
  throw error
}

async function ok(args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await onceproofHere(args)
  expect(stderr).toBe('')
  expect(code, stdout).toBe(0)
  return stdout
}

const json = async (args: readonly string[]) => JSON.parse(await ok([...args, '--json']))

/** The key of an effect in doubt whose lease has ended. */
async function inDoubt(once: Once): Promise<string> {
  const message = freshMessage()
  await once.run(message, fails(new Error('502')))
  await expect.poll(async () => (await once.status(message.key)).status).toBe('in-doubt')
  return message.key
}

describeOnRedis('once, on Redis,', (redis) => {
  const at = () => ['--redis', `redis://127.0.0.1:${redis.port}`, '--buckets', String(buckets)]
  const layer = () => layerAt(redis.client, { leaseMs: 300, sink: { kind: 'plain', settledByHand: true } })
  const everything = async () => {
    const names = (await redis.client.keys('*')).sort()
    return Promise.all(names.map(async (name) => [name, await redis.client.hgetall(name)]))
  }
  const idOf = async (key: string): Promise<string> => (await json(['once', 'status', key, ...at()])).id

  describe('after the first deployment', () => {
    beforeEach(async () => void (await adopt({ redis: redis.client, buckets, since: 0 })))
    afterEach(closeLayers)

    it('shows the state of a key, as text and as JSON, and changes nothing', async () => {
      const once = layer()
      const done = freshMessage()
      await once.run(done, async () => ({ id: 7 }))
      const key = await inDoubt(once)
      const before = await everything()
      expect(await ok(['once', 'status', done.key, ...at()])).toBe(`${done.key}: done, with result {"id":7}\n`)
      expect(await json(['once', 'status', done.key, ...at()])).toMatchObject({ status: 'done', result: { id: 7 } })
      const text = await ok(['once', 'status', key, ...at()])
      expect(text).toContain(`${key}: in doubt: it is unknown whether its effect happened\n`)
      expect(text).toContain(`once settle ${key} --doubt ${await idOf(key)} `)
      expect(await everything()).toEqual(before)
    })

    it('shows the server, its policy, its generations and the number of doubts', async () => {
      await inDoubt(layer())
      expect(await ok(['once', 'status', ...at()])).toBe(
        `server       primary with 0 attached replicas, maxmemory-policy noeviction
generations  8 of 8; records are complete for messages since 1970-01-01T00:00:00.000Z
in doubt     1
`,
      )
      await redis.client.config('SET', 'maxmemory-policy', 'allkeys-lru')
      expect(await ok(['once', 'status', ...at()])).toContain(
        'allkeys-lru (set it to noeviction: nothing is performed)',
      )
    })

    it('lists the effects in doubt as a table and as JSON', async () => {
      expect(await ok(['once', 'doubts', ...at()])).toBe('no effect that has a record is in doubt\n')
      const once = layer()
      const keys = [await inDoubt(once), await inDoubt(once)]
      const { doubts } = await json(['once', 'doubts', ...at()])
      expect(doubts.map(({ key }: { key: string }) => key).sort()).toEqual(keys.sort())
      const table = await ok(['once', 'doubts', ...at()])
      expect(table).toMatch(/^doubt +key +/)
      for (const { id, key } of doubts) expect(table).toMatch(new RegExp(`^${id} +${key} `, 'm'))
    })

    it('settles a doubt as applied, and a dry run of it writes nothing', async () => {
      const key = await inDoubt(layer())
      const settle = ['once', 'settle', key, '--doubt', await idOf(key), '--applied', '{"id":"ch_1"}', ...at()]
      const before = await everything()
      expect(await ok([...settle, '--dry-run'])).toBe(
        `dry run: ${key} would be settled as applied, with result {"id":"ch_1"}; nothing was written\n`,
      )
      expect(await everything()).toEqual(before)
      expect(await json(settle)).toMatchObject({ key, dryRun: false, status: 'done' })
      expect(await everything()).not.toEqual(before)
      expect(await json(['once', 'status', key, ...at()])).toMatchObject({ status: 'done', result: { id: 'ch_1' } })
    })

    it('settles a doubt as barred, and then the next delivery performs', async () => {
      const once = layer()
      const message = freshMessage()
      await once.run(message, fails(new Error('502')))
      await expect.poll(async () => (await once.status(message.key)).status).toBe('in-doubt')
      const barred = ['once', 'settle', message.key, '--doubt', await idOf(message.key), '--barred']
      await expectRefusal(
        [...barred, ...at()],
        2,
        /^--barred: if every consumer has settledByHand .* --settled-by-hand$/,
      )
      expect(await ok([...barred, '--settled-by-hand', ...at()])).toContain('deliver its message again')
      expect(await once.run(message, async () => 1)).toMatchObject({ status: 'done', repeated: false })
    })

    it('quotes a key with a space in the command that it suggests', async () => {
      const once = layer()
      await once.run({ ...freshMessage(), key: 'order 17' }, fails(new Error('502')))
      await expect.poll(async () => (await once.status('order 17')).status).toBe('in-doubt')
      expect(await ok(['once', 'status', 'order 17', ...at()])).toContain(`once settle 'order 17' --doubt `)
    })

    it('refuses to settle another doubt than the one that the operator has seen', async () => {
      const once = layer()
      const message = freshMessage()
      await once.run(message, fails(new Error('502')))
      await expect.poll(async () => (await once.status(message.key)).status).toBe('in-doubt')
      const seen = await idOf(message.key)
      const settle = ['once', 'settle', message.key, '--doubt', seen, '--barred', '--settled-by-hand', ...at()]
      await ok(settle)
      await once.run(message, fails(new Error('502 again')))
      await expect.poll(async () => (await once.status(message.key)).status).toBe('in-doubt')
      await expectRefusal(settle, 2, new RegExp(`^--doubt ${seen}: ${message.key} has another doubt now; check the`))
    })

    it('refuses an old doubt after data may have been lost', async () => {
      const key = await inDoubt(layer())
      const seen = await idOf(key)
      // Redis reports another count of evictions, as after a loss.
      for (const name of await redis.client.keys('once:{b*}/*')) await redis.client.hset(name, 'evicted', '7')
      await expectRefusal(
        ['once', 'settle', key, '--doubt', seen, '--applied', 'null', ...at()],
        2,
        /has another doubt now/,
      )
    })

    it('settles the doubt of an outcome from a file, though it has no record', async () => {
      await redis.restart()
      const once = layer()
      const message = { ...freshMessage(), producedAt: 0 }
      const outcome = await once.run(message, never)
      expect(outcome).toMatchObject({ status: 'in-doubt', reason: 'older-than-the-data', doubt: { key: message.key } })
      const folder = temporaryFolder()
      const file = write(folder, 'doubt.json', JSON.stringify(outcome.status === 'in-doubt' && outcome.doubt))
      const barred = (key: string, from: string) => [
        'once',
        'settle',
        key,
        '--doubt',
        from,
        '--retention',
        '10m',
        '--barred',
        '--settled-by-hand',
        ...at(),
      ]
      await expectRefusal(
        barred('order-9', file),
        2,
        /doubt\.json: its doubt is about "k\d+", not order-9; give the file of/,
      )
      await expectRefusal(
        barred(message.key, write(folder, 'bad.json', '{')),
        2,
        /bad\.json: not JSON; give the unchanged `doubt`/,
      )
      await expectRefusal(barred(message.key, 'gone.json'), 2, /^gone\.json: /)
      const other = write(folder, 'other.json', JSON.stringify({ key: message.key }))
      await expectRefusal([...barred(message.key, other), '--dry-run'], 2, /other\.json: not a doubt of this version: /)
      expect(await ok([...barred(message.key, file), '--dry-run'])).toContain('nothing was written')
      expect(await ok(barred(message.key, file))).toContain('deliver its message again')
      expect(await once.run(message, async () => 1)).toMatchObject({ status: 'done', repeated: false })
      await expectRefusal(barred(message.key, file), 2, /^k\d+: the doubt has changed, and nothing was written/)
    })

    it('has one line for each key that cannot be settled or is unknown', async () => {
      const once = layer()
      const done = freshMessage()
      await once.run(done, async () => 1)
      const settle = (key: string) => ['once', 'settle', key, '--doubt', 'x', '--applied', 'null', ...at()]
      await expectRefusal(settle(done.key), 2, /^\S+: done, with result 1; there is nothing to settle$/)
      await expectRefusal(settle('order-9'), 2, /^order-9: no record; check the key; there is nothing to settle$/)
      await expectRefusal(['once', 'status', 'order-9', ...at()], 2, /^order-9: no record; check the key$/)
      const { code, stdout } = await onceproofHere(['once', 'status', 'order-9', '--json', ...at()])
      expect([code, JSON.parse(stdout)]).toEqual([2, { schemaVersion: 1, key: 'order-9', status: 'unknown', since: 0 }])
      await expectRefusal(['once', 'status', '', ...at()], 2, /^"": a message needs a key/)
    })

    it('names the number of buckets that the records have', async () => {
      const other = ['--redis', `redis://127.0.0.1:${redis.port}`]
      for (const command of [['status'], ['status', 'order-9'], ['doubts']])
        await expectRefusal(
          ['once', ...command, ...other],
          2,
          '--buckets 1024: the records there have 8; give that number',
        )
    })
  })

  it('names the prefix that the records have', async () => {
    await adopt({ redis: redis.client, buckets, since: 0, namespace: 'orders' })
    for (const command of [['status'], ['status', 'order-9'], ['doubts']])
      await expectRefusal(
        ['once', ...command, ...at()],
        2,
        'prefix once:: the records there have once:orders:; give --namespace or --key-prefix',
      )
    expect(await ok(['once', 'doubts', ...at(), '--namespace', 'orders'])).toContain('no effect')
    await expectRefusal(['once', 'doubts', ...at(), '--namespace', 'Or ders'], 2, /^namespace/)
    await expectRefusal(['once', 'doubts', ...at(), '--key-prefix', '{a}'], 2, /^keyPrefix/)
  })

  it('adopts once, and changes nothing the second time', async () => {
    const line = '8 buckets adopted; 0 were in use already, and are unchanged\n'
    expect(await ok(['once', 'adopt', '--since', '0', ...at()])).toBe(line)
    const before = await everything()
    const again = await ok(['once', 'adopt', '--since', '2020-01-01T00:00:00Z', ...at()])
    expect(again).toBe('all 8 buckets are in use already; nothing was changed\n')
    expect(await everything()).toEqual(before)
    expect(await json(['once', 'adopt', '--since', '0', ...at()])).toEqual({
      ...{ schemaVersion: 1, since: 0, buckets: 8, kept: 8 },
    })
    await redis.client.flushall()
    const future = ['once', 'adopt', '--since', '2999-01-01T00:00:00Z', ...at()]
    await expectRefusal(
      future,
      2,
      '--since 2999-01-01T00:00:00.000Z: later than the clock of Redis; give an earlier time',
    )
    await expectRefusal(['once', 'adopt', ...at()], 2, 'once adopt: give --since 0, if no effect was ever performed')
  })

  it('says that a server has no records of once', async () => {
    for (const command of [['status'], ['status', 'order-1'], ['doubts']])
      await expectRefusal(['once', ...command, ...at()], 2, /^--redis redis:\S+: no records of once; name another /)
  })
})

describeOnPostgres('once, on PostgreSQL,', (postgres) => {
  const at = () => ['--postgres', `postgres://postgres@127.0.0.1:${postgres.server.port}/postgres`]

  it('shows, lists and settles doubts', async () => {
    const once = createOnce({
      ...{ pool: postgres.pool, leaseMs: 300, retentionMs: 600_000 },
      sink: { kind: 'plain', settledByHand: true },
    })
    const key = await inDoubt(once)
    expect(await ok(['once', 'status', ...at()])).toMatch(
      /^server +PostgreSQL 15.*\ngenerations +1 of 1; .*\nin doubt +1\n$/,
    )
    const { doubts } = await json(['once', 'doubts', ...at()])
    expect(doubts).toMatchObject([{ key }])
    const settle = ['once', 'settle', key, '--doubt', doubts[0].id, '--applied', 'null', ...at()]
    expect(await ok([...settle, '--dry-run'])).toContain('nothing was written')
    expect(await once.status(key)).toMatchObject({ status: 'in-doubt' })
    await ok(settle)
    expect(await once.status(key)).toMatchObject({ status: 'done', result: null })
  })

  it('makes the tables, and says so if they are missing', async () => {
    await postgres.rows('DROP TABLE once_records, once_generations')
    await expectRefusal(
      ['once', 'doubts', ...at()],
      2,
      /^--postgres postgres:\S+: PostgreSQL has no table once_records/,
    )
    await ok(['once', 'adopt', '--since', '0', ...at()])
    expect(await ok(['once', 'doubts', ...at()])).toBe('no effect that has a record is in doubt\n')
  })
})

describe('once', () => {
  const nowhere = ['--redis', 'redis://:secret@127.0.0.1:1']

  it.each([['status'], ['status', 'order-1'], ['doubts'], ['settle', 'k', '--doubt', 'x', '--applied', '1']])(
    '%s %s says that no server answers, without its password',
    (...command) =>
      expectRefusal(
        ['once', ...command, ...nowhere],
        2,
        /^--redis redis:\/\/127\.0\.0\.1:1: no answer \(.*\); start it, or name another$/,
      ),
  )

  const words: readonly [readonly string[], string | RegExp][] = [
    [['once'], /^once: choose a command: `once status \[key\]`, `once doubts`, `once settle <key>`, `once adopt`$/],
    [['once', 'settel'], /^once settel: choose a command/],
    [['once', 'settel', 'k', '--applied', '1', ...nowhere], /^once settel: choose a command/],
    [['once', 'doubts'], /^once doubts: give --redis redis:\/\/host:port or --postgres postgres:/],
    [['once', 'settle', ...nowhere], /^argument <key>: missing/],
    [['once', 'settle', 'k', ...nowhere], /^once settle: give --applied <json> if it happened, or --barred if /],
    [['once', 'settle', 'k', '--applied', 'x', '--doubt', '1', ...nowhere], /^--applied x: not JSON; give null, or /],
    [
      ['once', 'settle', 'k', '--applied', '1', ...nowhere],
      /^once settle: give the doubt: --doubt <id>, from `once st/,
    ],
    [['once', 'settle', 'k', '--applied', '1', '--barred', ...nowhere], /^once settle: give --applied <json> if it /],
    [['once', 'settle', 'k', '--applied', '1', '--highest', '3', ...nowhere], /^--highest: it belongs to --barred/],
    [['once', 'settle', 'k', '--barred', '--highest', '-3', ...nowhere], /^--highest -3: give an integer from 0 to /],
    [
      ['once', 'adopt', '--since', 'yesterday', ...nowhere],
      /^--since yesterday: give 0, milliseconds, or a time such /,
    ],
    [['once', 'doubts', '--buckets', '0', ...nowhere], /^--buckets 0: give an integer from 1 to /],
    [['once', 'doubts', '--redis', 'localhost'], /^--redis localhost: give redis:\/\/host:port, redis-sentinel:/],
    [['once', 'doubts', '--redis', 'redis://h:x'], /^--redis redis:\/\/h:x: give redis:/],
    [['once', 'doubts', '--redis', 'redis-sentinel://h:1,i:2'], /^--redis \S+: name the primary: redis-sentinel:/],
    [['once', 'doubts', '--redis', 'redis-cluster://h:1,i:2/3'], /^--redis \S+: a Cluster has one database/],
    [['once', 'doubts', '--postgres', 'localhost'], /^--postgres localhost: give postgres:/],
    [['once', 'doubts', ...nowhere, '--postgres', 'postgres://h/d'], /^--redis and --postgres: give only one$/],
    [
      ['once', 'doubts', '--postgres', 'postgres://u:secret@127.0.0.1:1/d'],
      /^--postgres postgres:\/\/127\.0\.0\.1:1\/d: no /,
    ],
  ]
  it.each(words)('%s', (args, line) => expectRefusal(args, 2, line))
})
