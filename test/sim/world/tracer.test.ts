import { Redis, type RedisOptions } from 'ioredis'
import { describe, expect, it } from 'vitest'
import type { PlannedFault, RedisPlan } from '../../../src/contract/api/plan.ts'
import { pgLayer } from '../postgres-lab.ts'
import { done, type Play, play } from '../world-lab.ts'

const { reserve, sdkLayer } = await import('../dynamodb-lab.ts')

/** A layer that sets a key for five seconds, performs, and deletes the key. */
const locking = {
  create: ({ redis: { options } }: { redis: { options: object } }) => {
    const redis = new Redis({ ...(options as RedisOptions), replyMapping: 'legacy' })
    redis.on('error', () => {})
    return {
      handle: async () => {
        await redis.set('lock', 'mine', 'PX', 5000, 'NX')
        await redis.del('lock')
        return done
      },
      close: () => redis.disconnect(),
    }
  },
}

const traced = async (more: Play = {}, layer: Parameters<typeof play>[0] = locking) => {
  const played = await play(layer, { ...more, runTrace: true })
  return { ...played, runTrace: played.runTrace! }
}
const at = (ms: number) => ({ at: 'time', ms }) as const

describe('a traced run', () => {
  const faults: PlannedFault[] = [
    { kind: 'pause', consumer: 0, when: at(1), healAfterMs: 30 },
    { kind: 'clock-step', machine: 0, byMs: 3000, when: at(5), healAfterMs: 20 },
  ]

  it('equals the untraced run, and only it has a run trace', async () => {
    const plain = await play(locking, { faults })
    const { digest, historyDigest, trail, runTrace } = await traced({ faults })
    expect({ digest, historyDigest, trail: trail.text }).toEqual({
      digest: plain.digest,
      historyDigest: plain.historyDigest,
      trail: plain.trail.text,
    })
    expect(plain.runTrace).toBeNull()
    expect(runTrace).not.toBeNull()
  })

  it('has the way of each command, and the event of its execution', async () => {
    const { runTrace, history } = await traced()
    const steps = runTrace.commands.filter(({ label }) => label === 'SET' || label === 'DEL')
    expect(steps.map(({ process, node, label }) => [process, node, label])).toEqual([
      ['consumer-1', 'redis', 'SET'],
      ['consumer-1', 'redis', 'DEL'],
    ])
    for (const { sentUs, executedUs, repliedUs, lostUs, seq, label } of steps) {
      expect(sentUs).toBeLessThan(executedUs!)
      expect(executedUs).toBeLessThan(repliedUs!)
      expect(lostUs).toBeNull()
      expect(history.events[seq!]).toMatchObject({
        type: 'command',
        command: expect.stringMatching(new RegExp(label, 'i')),
      })
    }
  })

  it('has each command of a pipeline, but not the handshake of a client', async () => {
    const pipelined = {
      create: ({ redis: { options } }: { redis: { options: object } }) => {
        const redis = new Redis({ ...(options as RedisOptions), replyMapping: 'legacy' })
        redis.on('error', () => {})
        return {
          handle: async () => {
            await redis.pipeline().set('a', 'x\r\n*1\r\n').client('ID').eval('return 1', 0).get('a').exec()
            return done
          },
          close: () => redis.disconnect(),
        }
      },
    }
    const { commands } = (await play(pipelined, { runTrace: true })).runTrace!
    const labels = ['SET', expect.stringMatching(/^EVALSHA [0-9a-f]{8}$/), 'GET']
    expect(commands.map(({ label }) => label)).toEqual(labels)
    expect(new Set(commands.map(({ sentUs }) => sentUs)).size).toBe(1)
    expect(commands.every(({ sentUs, executedUs }) => sentUs < executedUs!)).toBe(true)
  })

  it('attributes a change of a key to its command, with its expiry by the server', async () => {
    const { runTrace } = await traced()
    const [set, del] = runTrace.commands.filter(({ label }) => label === 'SET' || label === 'DEL')
    expect(runTrace.keys).toMatchObject([
      { node: 'redis', key: 'lock', value: 'mine', by: runTrace.commands.indexOf(set!) },
      { node: 'redis', key: 'lock', value: null, by: runTrace.commands.indexOf(del!) },
    ])
    expect(runTrace.keys[0]!.expireAtMs! - runTrace.beganMs).toBeCloseTo(set!.executedUs! / 1000 + 5000, -1)
  })

  it('has a lost reply and a lost request', async () => {
    const lost = async (kind: string, boundary: 'command-executed' | 'command-unexecuted') => {
      const fault = { kind, when: { at: boundary, consumer: 0, nth: 1 } } as const
      return (await traced({ faults: [fault] })).runTrace.commands.find(({ lostUs }) => lostUs !== null)
    }
    expect(await lost('lost-reply', 'command-executed')).toMatchObject({
      repliedUs: null,
      executedUs: expect.any(Number),
    })
    expect(await lost('lost-request', 'command-unexecuted')).toMatchObject({
      repliedUs: null,
      executedUs: null,
      seq: null,
    })
    expect((await traced()).runTrace.commands.find(({ lostUs }) => lostUs !== null)).toBeUndefined()
  })

  it('has the way of PostgreSQL statements, alone and pipelined, and no Redis without one', async () => {
    const layer = pgLayer(async (_, client) => {
      await client.query('BEGIN')
      await client.query('INSERT INTO records VALUES ($1, $2)', ['k', 'v'])
      await Promise.all([client.query('SELECT 1 FROM records'), client.query('COMMIT')])
      return done
    })
    const { runTrace, history } = await traced({}, layer)
    expect({ servers: runTrace.servers, stores: runTrace.stores, roles: runTrace.roles }).toEqual({
      ...{ servers: [], stores: ['postgres'], roles: [] },
    })
    const labels = ['BEGIN', 'INSERT records', 'SELECT records', 'COMMIT']
    expect(runTrace.commands.map(({ process, node, label }) => [process, node, label])).toEqual(
      labels.map((label) => ['consumer-1', 'postgres', label]),
    )
    for (const { sentUs, executedUs, repliedUs, lostUs, seq } of runTrace.commands) {
      expect(sentUs).toBeLessThan(executedUs!)
      expect(executedUs).toBeLessThan(repliedUs!)
      expect(lostUs).toBeNull()
      expect(history.events[seq!]).toMatchObject({ type: 'command', node: 'postgres', atUs: executedUs })
    }
    const { digest } = await play(layer, {})
    expect((await traced({}, layer)).digest).toBe(digest)
  })

  it.each([
    ['command-unexecuted', 'request'],
    ['command-executed', 'reply'],
  ] as const)('has a statement that is lost at %s, with its lost %s', async (boundary, what) => {
    const when = { at: boundary, consumer: 0, nth: 1, of: { label: 'INSERT records' } } as const
    const layer = pgLayer(async (_, client) => {
      await client.query('INSERT INTO records VALUES ($1, $2)', ['k', 'v'])
      return done
    })
    const { runTrace } = await traced({ faults: [{ kind: `lost-${what}`, when }] as PlannedFault[] }, layer)
    const [first, second] = runTrace.commands
    expect(first!.lostUs).not.toBeNull()
    expect([first!.executedUs === null, first!.repliedUs]).toEqual([what === 'request', null])
    expect(second!.repliedUs).not.toBeNull()
  })

  it('distinguishes a statement that was refused unexecuted from the next one', async () => {
    const layer = pgLayer(async (_, client) => {
      await client.query('INSERT INTO nowhere VALUES ($1)', ['k']).catch(() => {})
      await client.query('INSERT INTO records VALUES ($1, $2)', ['k', 'v'])
      return done
    })
    const { runTrace } = await traced({}, layer)
    expect(runTrace.commands.map(({ label, refused, seq }) => [label, refused, seq !== null])).toEqual([
      ['INSERT nowhere', true, false],
      ['INSERT records', undefined, true],
    ])
    const [first, second] = runTrace.commands
    expect(second!.sentUs).toBeGreaterThan(first!.sentUs)
    expect(second!.repliedUs).not.toBeNull()
  })

  it('has the way of requests to DynamoDB', async () => {
    const layer = sdkLayer(async (client, table) => {
      await client.send(reserve(table))
    })
    const { runTrace } = await traced({}, layer)
    expect([runTrace.servers, runTrace.stores]).toEqual([[], ['dynamodb']])
    const [only, ...others] = runTrace.commands
    expect(others).toEqual([])
    expect(only).toMatchObject({ node: 'dynamodb', label: expect.stringMatching(/^PutItem /), lostUs: null })
    expect(only!.executedUs).toBeGreaterThan(only!.sentUs)
    expect(only!.repliedUs).toBeGreaterThan(only!.executedUs!)
  })

  it('has the offset of a clock, with its start', async () => {
    const { runTrace } = await traced({ faults })
    const own = runTrace.clocks.filter(({ machine }) => machine === 'consumer-1')
    expect(own.map(({ atUs, aheadUs }) => [atUs, aheadUs])).toEqual([
      [0, 0],
      [5000, 3_000_000],
      [25_000, 0],
    ])
    expect((await traced()).runTrace.clocks.filter(({ aheadUs }) => aheadUs !== 0)).toEqual([])
  })

  const redis: RedisPlan = {
    ...{ replicas: 1, sentinels: 3, downAfterMs: 500, failoverTimeoutMs: 5000, keeps: 'nothing' },
    ...{ minReplicasToWrite: 0, fullSyncMs: 50, loadingMs: 0 },
  }
  const stop: PlannedFault = { kind: 'machine-restart', who: 'primary', which: 0, when: at(300), healAfterMs: 10_000 }

  it('has the failover by Sentinels: who considers the primary down, votes and leads', async () => {
    const { runTrace, history } = await traced({ redis, faults: [stop] })
    expect(runTrace.sentinels).toEqual(['sentinel-1', 'sentinel-2', 'sentinel-3'])
    const said = (what: string) => runTrace.words.filter((word) => word.what === what)
    expect(said('down').filter(({ about }) => about === 'redis-1').length).toBeGreaterThanOrEqual(2)
    const [leader] = said('leads')
    const votes = said('votes').filter(({ about }) => about === leader!.sentinel)
    expect(votes.length).toBeGreaterThanOrEqual(2)
    expect(said('chooses')).toMatchObject([{ sentinel: leader!.sentinel, about: 'redis-2' }])
    const at = (type: string) => history.events.findIndex((event) => event.type === type)
    for (const { seq } of runTrace.words) expect(seq).toBeGreaterThanOrEqual(at('fault-struck'))
    expect((await traced({ redis })).runTrace.words).toEqual([])
  })

  it('has the replies of Sentinels to processes, if there are Sentinels', async () => {
    const { runTrace } = await traced({ redis })
    expect(runTrace.questions.length).toBeGreaterThan(0)
    expect(runTrace.questions[0]).toMatchObject({ process: 'consumer-1', reported: 'redis-1' })
    expect((await traced()).runTrace).toMatchObject({ sentinels: [], questions: [] })
  })

  it('equals the untraced run with Sentinels, too', async () => {
    const plain = await play(locking, { redis, faults: [stop] })
    const { digest, historyDigest } = await traced({ redis, faults: [stop] })
    expect({ digest, historyDigest }).toEqual({ digest: plain.digest, historyDigest: plain.historyDigest })
  })

  it('has the servers that consider themselves primary, and copies without a command of a consumer', async () => {
    const { runTrace } = await traced({ redis, faults: [stop] })
    expect(runTrace.servers).toEqual(['redis-1', 'redis-2'])
    const roles = runTrace.roles.map(({ node, role }) => `${node} ${role}`)
    expect(roles.slice(0, 2)).toEqual(['redis-1 primary', 'redis-2 replica'])
    expect(roles.slice(2)).toEqual(expect.arrayContaining(['redis-1 down', 'redis-2 primary']))
    expect(runTrace.keys.filter(({ node }) => node === 'redis-2')[0]).toMatchObject({ key: 'lock', value: 'mine' })
    expect(runTrace.keys.filter(({ node }) => node === 'redis-2')[0]).not.toHaveProperty('by')
  })
})

const claim = `-- claim a key
local now = redis.call('GET', KEYS[1])
if now == false then
  redis.call('SET', KEYS[1], ARGV[1])
  return 'new'
elseif now == ARGV[1] then
  return 'mine'
end
return 'taken'`

const library = `#!lua name=tools
local count = 0
redis.register_function('twice', function(keys)
  count = count + 1
  if count > 1 then
    return redis.call('GET', keys[1])
  end
  return redis.call('SET', keys[1], count)
end)`

/**
 * A layer that sends scripts: one by its body, one by its SHA-1, two in a transaction, and a
 * function twice.
 */
const scripting = {
  create: ({ redis: { options } }: { redis: { options: object } }) => {
    const redis = new Redis({ ...(options as RedisOptions), replyMapping: 'legacy' })
    redis.on('error', () => {})
    return {
      handle: async () => {
        await redis.eval(claim, 1, 'k', 'a')
        const sha = await redis.script('LOAD', claim)
        await redis.evalsha(sha as string, 1, 'k', 'a')
        await redis
          .multi()
          .evalsha(sha as string, 1, 'k', 'b')
          .exec()
        await redis.call('FUNCTION', 'LOAD', library)
        await redis.call('FCALL', 'twice', 1, 'f')
        await redis.call('FCALL', 'twice', 1, 'f')
        return done
      },
      close: () => redis.disconnect(),
    }
  },
}

describe('scripts of a traced run', () => {
  it('have the executed lines, and each call with its reply at its line', async () => {
    const { runTrace } = await traced({}, scripting)
    const [script] = runTrace.scripts
    expect(script).toMatchObject({ name: 'the script claim', body: claim, statements: [2, 3, 4, 5, 7, 9] })
    const runs = runTrace.commands.flatMap(({ label, ran = [] }) => ran.map((one) => ({ label, ...one })))
    expect(runs.filter(({ script }) => script === 0)).toEqual([
      {
        ...{ label: 'EVALSHA claim', script: 0, ran: [2, 3, 4, 5], more: 0 },
        calls: [
          { line: 2, command: 'GET k', reply: 'nil' },
          { line: 4, command: 'SET k a', reply: 'OK' },
        ],
      },
      {
        ...{ label: 'EVALSHA claim', script: 0, ran: [2, 3, 6, 7], more: 0 },
        calls: [{ line: 2, command: 'GET k', reply: '"a"' }],
      },
      {
        ...{ label: 'EXEC', script: 0, ran: [2, 3, 6, 9], more: 0 },
        calls: [{ line: 2, command: 'GET k', reply: '"a"' }],
      },
    ])
  })

  it('include functions, whose libraries keep state between calls', async () => {
    const { runTrace } = await traced({}, scripting)
    const place = runTrace.scripts.findIndex(({ name }) => name === 'the function twice')
    expect(runTrace.scripts[place]!.body).toBe(library)
    const runs = runTrace.commands.flatMap(({ ran = [] }) => ran).filter(({ script }) => script === place)
    expect(runs.map(({ ran, calls }) => [ran, calls.map(({ command }) => command)])).toEqual([
      [[4, 5, 8], ['SET f 1']],
      [[4, 5, 6], ['GET f']],
    ])
  })

  it('run as in an untraced run, and only commands of scripts have any', async () => {
    const plain = await play(scripting)
    const { digest, historyDigest, runTrace } = await traced({}, scripting)
    expect({ digest, historyDigest }).toEqual({ digest: plain.digest, historyDigest: plain.historyDigest })
    const others = runTrace.commands.filter(({ label }) => !/^(?:EVALSHA claim|EXEC|FCALL)$/.test(label))
    expect(others.length).toBeGreaterThan(0)
    expect(others.filter(({ ran }) => ran !== undefined)).toEqual([])
    expect((await traced()).runTrace.scripts).toEqual([])
  })

  it('keep the first calls of a loop, and the number of others', async () => {
    const loop = "for i = 1, 100 do redis.call('INCR', KEYS[1]) end"
    const looping = {
      create: ({ redis: { options } }: { redis: { options: object } }) => {
        const redis = new Redis({ ...(options as RedisOptions), replyMapping: 'legacy' })
        redis.on('error', () => {})
        return { handle: () => redis.eval(loop, 1, 'n').then(() => done), close: () => redis.disconnect() }
      },
    }
    const { runTrace } = await traced({}, looping)
    const [run] = runTrace.commands.flatMap(({ ran = [] }) => ran)
    expect(run!.calls.length + run!.more).toBe(100)
    expect(run!.calls.at(-1)).toEqual({ line: 1, command: 'INCR n', reply: String(run!.calls.length) })
    expect(run!.more).toBeGreaterThan(0)
  })
})
