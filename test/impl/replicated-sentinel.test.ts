/** How many replicas there are, asked of a real Sentinel; and one real failover. */
import { afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { adopt, type OnceMessage } from '../../src/impl/once.ts'
import { buckets, closeLayers, freshMessage, layerAt, never, stateAt } from './layers.ts'
import { describeOnReplicas, type Server, until } from './real-replicas.ts'

describeOnReplicas('begin, through Sentinels', (deployment) => {
  let primary: Server
  let first: Server
  let second: Server
  let sentinel: Server
  beforeAll(async () => {
    primary = await deployment.start()
    first = await deployment.startReplica(primary)
    second = await deployment.startReplica(primary, ['--replica-priority', '0'])
    sentinel = await deployment.startSentinel(primary, 2)
  })
  beforeEach(() => adopt({ redis: at(), buckets, since: 0 }))
  afterEach(() => {
    for (const { wake } of [first, second]) wake()
    closeLayers()
  })
  const at = () => ({ sentinels: [{ host: '127.0.0.1', port: sentinel.port }], name: 'main' })
  const named = () => sentinel.client.call('SENTINEL', 'GET-MASTER-ADDR-BY-NAME', 'main')
  const flags = async () => {
    const replicas = (await sentinel.client.call('SENTINEL', 'REPLICAS', 'main')) as string[][]
    return replicas.map((fields) => fields[fields.indexOf('flags') + 1])
  }

  it('counts every replica that Sentinel knows, and is performed', async () => {
    const message = freshMessage()
    const states = () => Promise.all([first, second].map((replica) => stateAt(replica, message.key)))
    expect(await layerAt(at(), { replicas: 2 }).run(message, states)).toMatchObject({ result: ['begun', 'begun'] })
  })

  it.each([0, 1])('is refused where `replicas` counts %i of 2, and says what to do', async (replicas) => {
    const message = freshMessage()
    expect(await layerAt(at(), { replicas }).run(message, never)).toMatchObject({
      status: 'retry',
      reason: 'replicas-uncounted',
      cause: {
        message: expect.stringContaining(
          `Sentinel, asked for main, knows 2 replicas, and 'replicas' counts ${replicas}`,
        ),
      },
    })
    expect(await stateAt(primary, message.key)).toBe('free')
  })

  it.each([0, 1])('with %i of 2 is accepted by name', async (replicas) => {
    const once = layerAt(at(), { replicas, allowMinority: true })
    expect(await once.run(freshMessage(), async () => 5)).toMatchObject({ status: 'done' })
  })

  it('is refused for a sink that forgets, and for no other', async () => {
    const once = layerAt(at(), { replicas: 0, sink: { kind: 'keyed' } })
    expect(await once.run(freshMessage(), async () => 5)).toMatchObject({ status: 'done' })
  })

  it('counts a replica that is down: it may come back and be elected', async () => {
    first.stall()
    await until(async () => (await flags()).some((flag) => flag?.includes('s_down')))
    expect(await layerAt(at(), { replicas: 1 }).run(freshMessage(), never)).toMatchObject({
      reason: 'replicas-uncounted',
    })
    expect(await layerAt(at(), { replicas: 2 }).run(freshMessage(), never)).toMatchObject({ reason: 'not-replicated' })
  })

  it('counts a replica that cannot be elected: it alone would make up the number', async () => {
    first.stall()
    const once = layerAt(at(), { replicas: 1, allowMinority: true })
    const message = freshMessage()
    expect(await once.run(message, () => stateAt(second, message.key))).toMatchObject({ result: 'begun' })
  })

  it('is performed by nobody while no Sentinel says how many there are', async () => {
    const once = layerAt(at(), { replicas: 2, leaseMs: 1500 })
    await once.run(freshMessage(), async () => 5)
    sentinel.stall()
    const another = layerAt(at(), { replicas: 2, leaseMs: 1500 })
    expect(await another.run(freshMessage(), never)).toMatchObject({ reason: 'redis-unreachable' })
    sentinel.wake()
    expect(await another.run(freshMessage(), async () => 5)).toMatchObject({ status: 'done' })
  })

  it('outlives a failover: what was under way is in doubt at the next primary, and what is new waits for its replicas', async () => {
    const once = layerAt(at(), { replicas: 2, leaseMs: 1500 })
    const done = freshMessage()
    await once.run(done, async () => 5)
    await primary.client.set('after', 'complete')
    expect(await primary.client.wait(2, 5000)).toBe(2)
    const underWay = freshMessage()
    await once.run(underWay, () => primary.kill())
    once.close()

    await until(async () => String(await named()).endsWith(String(first.port)))
    const next = layerAt(at(), { replicas: 2, leaseMs: 1500 })
    expect(await next.run(done, never)).toEqual({ status: 'done', result: 5, repeated: true })
    const told: string[] = []
    const tell = async (message: OnceMessage) => {
      const outcome = await next.run(message, never)
      told.push('reason' in outcome ? outcome.reason : outcome.status)
      return told.at(-1)
    }
    await until(async () => (await tell(underWay)) !== 'held')
    expect(told.at(-1)).toBe('attempt-vanished')

    // Messages from before the failover are in doubt; of younger ones, the old primary has no begin until it is back.
    let during = freshMessage()
    await until(async () => (await tell((during = freshMessage()))) !== 'older-than-the-data')
    expect(told.at(-1)).toBe('not-replicated')
    await deployment.startReplica(first, [], primary.port)
    await deployment.attached(first, [second])
    expect(await next.run(during, async () => 5)).toMatchObject({ status: 'done' })
  }, 60_000)
})
