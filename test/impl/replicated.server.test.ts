/** No effect before every replica has its begin, on a real primary with two replicas. */
import { connect } from 'node:net'
import { afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { bucketKeysOf } from '../../src/impl/identity.ts'
import { adopt, type OnceOptions } from '../../src/impl/once.ts'
import { scripts } from '../../src/impl/scripts.ts'
import { type CuttingProxy, cuttingProxy } from './cutting-proxy.ts'
import { buckets, closeLayers, freshMessage, layerAt, never, stateAt } from './layers.ts'
import { describeOnReplicas, type Server, until } from './real-replicas.ts'

const waitCommand = '*3\r\n$4\r\nwait\r\n'

describeOnReplicas('begin, at one address', (deployment) => {
  let primary: Server
  let replicas: Server[]
  let proxy: CuttingProxy
  beforeAll(async () => {
    primary = await deployment.start()
    replicas = [await deployment.startReplica(primary), await deployment.startReplica(primary)]
    proxy = await cuttingProxy(primary.port)
    return () => proxy.close()
  })
  beforeEach(async () => {
    await primary.client.flushall()
    await adopt({ redis: primary.client, buckets, since: 0 })
  })
  afterEach(() => {
    for (const { wake } of replicas) wake()
    closeLayers()
  })
  const layer = (options: Partial<OnceOptions> = {}) => layerAt(primary.client, { replicas: 2, ...options })

  it('is on every replica when the effect is performed', async () => {
    const message = freshMessage()
    const states = () => Promise.all(replicas.map((replica) => stateAt(replica, message.key)))
    const outcome = await layer().run(message, states)
    expect(outcome).toEqual({ status: 'done', result: ['begun', 'begun'], repeated: false })
  })

  it('is undone if one replica does not acknowledge, nothing is performed, and the key is free', async () => {
    const message = freshMessage()
    const once = layer()
    replicas[0]!.stall()
    expect(await once.run(message, never)).toMatchObject({
      status: 'retry',
      reason: 'not-replicated',
      cause: { message: '1 of 2 replicas acknowledged the begin' },
    })
    expect(await stateAt(primary, message.key)).toBe('free')
    replicas[0]!.wake()
    expect(await once.run(message, async () => 5)).toEqual({ status: 'done', result: 5, repeated: false })
  })

  it.each([
    ['the number of acknowledging replicas is allowed explicitly', { replicas: 1, allowMinority: true }],
    ['one server is assumed', { replicas: 0 }],
    ['the sink remembers keys', { sink: { kind: 'keyed' } }],
  ] as const)('succeeds without the acknowledgement of one replica if %s', async (_, options) => {
    replicas[0]!.stall()
    expect(await layer(options).run(freshMessage(), async () => 5)).toMatchObject({ status: 'done' })
  })

  it('needs as many acknowledgements as attached replicas, because the wrong one may have acknowledged', async () => {
    expect(await layer({ replicas: 1 }).run(freshMessage(), never)).toMatchObject({
      status: 'retry',
      reason: 'replicas-uncounted',
      cause: { message: "the primary knows 2 replicas, and 'replicas' counts 1: raise it, or allowMinority" },
    })
  })

  it('is awaited on its own connection, because another one would count replicas that lack it', async () => {
    replicas[0]!.stall()
    await primary.client.set('written', 'here')
    expect(await primary.client.wait(1, 10_000)).toBe(1)
    expect(await primary.client.wait(2, 50)).toBe(1)
    const another = connect(primary.port, '127.0.0.1').end('WAIT 2 50\r\n')
    expect(String((await another.toArray())[0])).toBe(':2\r\n')
  })

  it('is undone without an effect if its connection closes before its WAIT', async () => {
    const message = freshMessage()
    const begun = async () => (await stateAt(primary, message.key)) === 'begun'
    const once = layerAt({ host: '127.0.0.1', port: proxy.port }, { replicas: 2 })
    proxy.interruptBefore(waitCommand, () => until(begun).then(() => 'close'))
    expect(await once.run(message, never)).toMatchObject({ status: 'retry', reason: 'redis-unreachable' })
    expect(await stateAt(primary, message.key)).toBe('free')
    expect(await once.run(message, async () => 5)).toMatchObject({ status: 'done', result: 5 })
  })

  it('leaves a doubt and no effect if it cannot be undone either', async () => {
    const message = freshMessage()
    const once = layerAt({ host: '127.0.0.1', port: proxy.port }, { replicas: 2, leaseMs: 1500 })
    replicas[0]!.stall()
    proxy.interruptBefore(scripts.abandon.sha, async () => {
      proxy.silence(true)
      return 'close'
    })
    expect(await once.run(message, never)).toMatchObject({ status: 'retry', reason: 'not-replicated' })
    expect(await stateAt(primary, message.key)).toBe('begun')
    once.close()
    proxy.silence(false)
    replicas[0]!.wake()
    const outcomes = new Set<string>()
    await until(async () => {
      const later = await layer().run(message, never)
      outcomes.add('reason' in later ? later.reason : later.status)
      return outcomes.has('attempt-vanished')
    })
    expect(['held', 'attempt-vanished']).toEqual(expect.arrayContaining([...outcomes]))
  })

  it('is awaited together with many others', async () => {
    const once = layer()
    const outcomes = await Promise.all(Array.from({ length: 50 }, () => once.run(freshMessage(), async () => 5)))
    expect(new Set(outcomes.map(({ status }) => status))).toEqual(new Set(['done']))
  })

  it('succeeds on the next attempt after scripts were flushed', async () => {
    const once = layer()
    await once.run(freshMessage(), async () => 5)
    await primary.client.script('FLUSH')
    const message = freshMessage()
    expect(await once.run(message, never)).toMatchObject({ reason: 'redis-unreachable', cause: { name: 'ReplyError' } })
    expect(await once.run(message, async () => 5)).toMatchObject({ status: 'done' })
  })

  it('is begun if its WAIT comes late on the same connection', async () => {
    const once = layerAt({ host: '127.0.0.1', port: proxy.port }, { replicas: 2 })
    const message = freshMessage()
    const begun = async () => (await stateAt(primary, message.key)) === 'begun'
    proxy.interruptBefore(waitCommand, () => until(begun).then(() => 'pass'))
    expect(await once.run(message, async () => 5)).toMatchObject({ status: 'done', result: 5 })
  })

  it('is not begun if a primary forgot it while it was a replica, although WAIT counts every replica', async () => {
    const other = await deployment.start()
    const once = layerAt({ host: '127.0.0.1', port: proxy.port }, { replicas: 2 })
    const message = freshMessage()
    const witness = primary.client.duplicate()
    let counted = 0
    const changeSides = async () => {
      await until(async () => (await stateAt(primary, message.key)) === 'begun')
      await witness.set('written', 'as begin was')
      await primary.client.replicaof('127.0.0.1', other.port)
      await deployment.attached(other, [primary])
      await other.client.set('its offset', 'x'.repeat(1_000_000))
      await until(async () => (await primary.client.exists('its offset')) === 1)
      await primary.client.replicaof('NO', 'ONE')
      await deployment.attached(primary, replicas)
      counted = await witness.wait(2, 5000)
      return 'pass' as const
    }
    proxy.interruptBefore(waitCommand, changeSides)
    expect(await once.run(message, never)).toMatchObject({
      status: 'retry',
      cause: { message: 'the primary was demoted while its replicas were waited for' },
    })
    expect([counted, await primary.client.exists('written', bucketKeysOf(message.key, buckets).record)]).toEqual([2, 0])
    witness.disconnect()
    await other.kill()
  })

  it('is refused by a primary that was demoted meanwhile', async () => {
    const demote = () => primary.client.replicaof('127.0.0.1', replicas[0]!.port)
    try {
      const outcome = await layer({ leaseMs: 1500 }).run(freshMessage(), { prepare: demote, effect: never })
      expect(outcome).toMatchObject({
        status: 'retry',
        reason: 'redis-unreachable',
        cause: { message: expect.stringContaining('replica') },
      })
    } finally {
      await primary.client.replicaof('NO', 'ONE')
    }
  })
})
