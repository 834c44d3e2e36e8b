/** The events that a listener gets on a real server. A listener changes nothing. */
import { once as occurs } from 'node:events'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Results } from '../../src/contract/results/results.ts'
import { adopt, type OnceEvent, type OnceOptions } from '../../src/impl/once.ts'
import { temporaryFolder, write } from '../cli/run-cli.ts'
import { onceproofHere } from '../cli/run-here.ts'
import { buckets, closeLayers, freshMessage, layerAt, never } from './layers.ts'
import { describeOnRedis } from './real-redis.ts'

class Refusal extends Error {}

describeOnRedis('a listener', (redis) => {
  let heard: OnceEvent[] = []
  beforeEach(async () => {
    heard = []
    await adopt({ redis: redis.client, buckets, since: 0 })
  })
  afterEach(closeLayers)
  afterEach(() => void vi.restoreAllMocks())
  const layer = (options: Partial<OnceOptions> = {}) =>
    layerAt(redis.client, {
      leaseMs: 30_000,
      isRefusal: (error) => error instanceof Refusal,
      onEvent: (event) => heard.push(event),
      ...options,
    })
  const types = () => heard.map(({ type }) => type)
  const last = () => heard.at(-1)
  const fails = (error: Error) => async () => {
    throw error
  }

  it('gets each transition of a key, and the answers of later runs', async () => {
    const reported = freshMessage()
    const once = layer()
    await once.run(reported, async () => 'receipt')
    await once.run(reported, never)
    expect(types()).toEqual(['acquired', 'begun', 'completed', 'ended', 'ended'])
    const fence = heard.flatMap((event) => (event.type === 'acquired' ? [event.fence] : []))[0]
    expect(heard).toContainEqual({ type: 'completed', key: reported.key, fence, onRecord: true })
    const ended = heard.filter(({ type }) => type === 'ended')
    expect(ended).toMatchObject([
      { key: reported.key, status: 'done', repeated: false },
      { key: reported.key, status: 'done', repeated: true },
    ])
    expect(JSON.stringify(heard)).not.toContain('receipt')
  })

  it('gets a loss from the run that noticed it', async () => {
    await redis.client.flushall()
    await layer().run({ ...freshMessage(), producedAt: 0 }, never)
    expect(types()).toEqual(['loss-noticed', 'ended'])
    expect(last()).toMatchObject({ status: 'in-doubt', reason: 'older-than-the-data' })
  })

  it('gets heartbeats, and the loss of a lease', async () => {
    let renewed = () => {}
    const heartbeat = new Promise<void>((resolve) => (renewed = resolve))
    const onEvent = (event: OnceEvent) => {
      heard.push(event)
      if (event.type === 'renewed') renewed()
    }
    const outcome = await layer({ leaseMs: 3000, onEvent }).run(freshMessage(), async ({ signal }) => {
      const lost = occurs(signal, 'abort')
      await heartbeat
      await redis.client.flushall()
      await lost
    })
    expect(outcome.status).toBe('done')
    expect(types()).toContain('renewed')
    expect(types()).toContain('lease-lost')
    expect(types()).not.toContain('abandoned')
  })

  it('gets the reason why a key is released, and a refusal of the sink', async () => {
    const once = layer()
    await once.run(freshMessage(), { prepare: fails(new Error('no database')), effect: never })
    expect(types().slice(-3)).toEqual(['acquired', 'abandoned', 'ended'])
    expect(heard.at(-2)).toMatchObject({ reason: 'prepare-failed' })
    await once.run(freshMessage(), fails(new Refusal('card expired')))
    expect(heard.at(-2)).toMatchObject({ type: 'refused', onRecord: true })
    expect(last()).toMatchObject({ status: 'refused', repeated: false })
  })

  it('gets the end of a message that is given up', async () => {
    const once = layer({ maxAttempts: 1 })
    const message = freshMessage()
    await once.run(message, { prepare: fails(new Error('no database')), effect: never })
    await once.run(message, never)
    expect(types().slice(-3)).toEqual(['acquired', 'given-up', 'ended'])
    expect(heard.at(-2)).toMatchObject({ key: message.key, attempts: 1 })
  })

  it('gets the answers of reconcile and of a fenced sink', async () => {
    const barred = layer({ sink: { kind: 'plain', reconcile: async () => ({ status: 'barred' }) } })
    await barred.run(freshMessage(), fails(new Error('502')))
    expect(types().slice(-3)).toEqual(['reconciled', 'reopened', 'ended'])
    const asking = layer({ sink: { kind: 'plain', reconcile: fails(new Error('503')) } })
    await asking.run(freshMessage(), fails(new Error('502')))
    expect(heard.at(-2)).toMatchObject({ type: 'reconciled', answer: 'failed' })
    const fenced = layer({ sink: { kind: 'fenced', raise: async () => ({ status: 'refused' }) } })
    await fenced.run(freshMessage(), never)
    expect(heard.at(-3)).toMatchObject({ type: 'raised', answer: 'refused' })
    expect(heard.at(-2)).toMatchObject({ type: 'abandoned', reason: 'superseded' })
  })

  it.each([
    ['throws', fails(new Error('no collector'))],
    ['rejects', () => Promise.reject(new Error('no collector'))],
    ['throws a foreign error', () => JSON.parse('{')],
  ])('breaks nothing and is reported once if it %s', async (_, onEvent) => {
    const reported = freshMessage()
    const warned = new Promise((resolve) => {
      // Replaces the printing of warnings.
      vi.spyOn(process, 'emitWarning').mockImplementation((...about) => resolve(about))
    })
    const once = layer({ onEvent })
    expect(await once.run(reported, async () => 1)).toEqual({ status: 'done', result: 1, repeated: false })
    expect(await once.run(reported, never)).toEqual({ status: 'done', result: 1, repeated: true })
    expect(await warned).toMatchObject([expect.stringContaining('fix the listener'), { type: 'OnceWarning' }])
    expect(process.emitWarning).toHaveBeenCalledTimes(1)
  })
})

describe('simulated runs', () => {
  const reference = fileURLToPath(new URL('../../implementations/reference/reference.ts', import.meta.url))
  const parts = fileURLToPath(new URL('../../implementations/reference/parts/', import.meta.url))
  const impl = fileURLToPath(new URL('../../src/impl/once.ts', import.meta.url))
  const adapter = (options: string) => `
    import reference from ${JSON.stringify(reference)}
    import { guarding } from ${JSON.stringify(`${parts}guarding.ts`)}
    import { optionsOf } from ${JSON.stringify(`${parts}options.ts`)}
    import { createOnce } from ${JSON.stringify(impl)}
    export default {
      ...reference,
      id: 'listened',
      create(context) {
        return guarding(createOnce({ ...optionsOf(context), ${options} }), context.sink)
      },
    }`
  const digestOf = async (options: string) => {
    const cwd = temporaryFolder()
    write(cwd, 'listened.ts', adapter(options))
    const about = ['--impl', './listened.ts', '--scenario', 'crash-mid-logic', '--runs', '10', '--workers', '1']
    const { stdout } = await onceproofHere([...about, '--json'], { cwd })
    return (JSON.parse(stdout) as Results).pairs[0]?.digest
  }

  it('are the same with a throwing listener as without, but differ if the layer differs', async () => {
    const [unheard, heard, other] = await Promise.all([
      digestOf(''),
      digestOf('onEvent: () => { throw new Error() }'),
      digestOf('maxClockSkewMs: 999'),
    ])
    expect(unheard).toMatch(/^[0-9a-f]{16}$/)
    expect(heard).toBe(unheard)
    expect(other).not.toBe(unheard)
  })
})
