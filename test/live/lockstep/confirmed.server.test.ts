/** Replays violating runs of the simulator on real servers, step by step. */
import { expect, it } from 'vitest'
import { keyOf } from '../../../src/sim/plans/keys.ts'
import { planned, twice } from '../../campaign/replay-live/recorded.ts'
import { describeLive } from '../lab.ts'
import { keyStyles } from './key-styles.ts'
import { edited, makingOn } from './make-on-servers.ts'

const confirmed = makingOn('single')

const first = (at: string) => ({ at, consumer: 0, nth: 1 })

describeLive('a run of the simulator, replayed on real servers,', (lab) => {
  it('is confirmed if two deliveries meet between GET and SET', async () => {
    const made = await confirmed(lab, '001-get-set', twice)
    expect(made).toMatchObject({ answer: 'confirmed', expected: { kind: 'duplicate', decidedBy: 'GET: nothing' } })
  })

  it.each(keyStyles)('is confirmed with eight similar keys: %s', async (style) => {
    const orders = [1, 2, 3, 4, 5, 6, 7, 8]
    const messages = orders.map((order) => ({ key: keyOf(style, order), payload: order, publishAtMs: 0 }))
    const faults = orders.map((_, message) => planned('duplicate-delivery', { at: 'time', ms: 0 }, { message }))
    const made = await confirmed(lab, '001-get-set', { messages, faults, consumers: 2 })
    expect(made).toMatchObject({ answer: 'confirmed', expected: { kind: 'duplicate' }, left: null })
  })

  it('is confirmed if a reply is lost and the layer takes its own mark for another one’s', async () => {
    const made = await confirmed(lab, '000-set-nx-marker', {
      faults: [planned('lost-reply', first('command-executed'))],
    })
    expect(made).toMatchObject({
      answer: 'confirmed',
      expected: { invariant: 'no-false-done', decidedBy: 'SET: nothing' },
    })
  })

  it('is confirmed if Redis dies with an unreceived reply and restarts, and the client asks again', async () => {
    const faults = [planned('redis-restart', first('command-executed'), { healAfterMs: 200 })]
    const made = await confirmed(lab, '001-get-set', { faults }, { holds: true })
    expect(made).toMatchObject({ answer: 'confirmed', expected: null, left: null })
  })

  it('is confirmed if the sink exceeds its call limit and the layer asks again', async () => {
    const made = await confirmed(lab, '001-get-set', {
      faults: [planned('slow-effect', first('effect-unapplied'), { extraMs: 500 })],
    })
    expect(made).toMatchObject({ answer: 'confirmed', expected: { kind: 'repeat-after-error' } })
  })

  it('is confirmed if a request overtakes an earlier one of its process for the same key', async () => {
    const slow = { consumer: 0, node: 'sink', extraMs: 2_000, healAfterMs: 300 }
    const made = await confirmed(lab, '002-get-then-processing', {
      faults: [planned('slow-link', { at: 'time', ms: 0 }, slow)],
    })
    expect(made).toMatchObject({ answer: 'confirmed', expected: { kind: 'repeat-after-error' }, left: null })
  })

  it('is confirmed faster than in virtual time if no step reads the clock of Redis', async () => {
    const messages = [0, 300_000].map((publishAtMs) => ({ key: 'order-1', payload: 1, publishAtMs }))
    const made = await confirmed(lab, '001-get-set', { messages }, { holds: true })
    expect(made).toMatchObject({ answer: 'confirmed', left: null })
    expect(made.tookMs).toBeLessThan(300_000)
  })

  it('is confirmed within the life of a claim, however late the next delivery comes', async () => {
    const made = await confirmed(lab, '000-get-set-record-lease', {
      leaseMs: 1_000,
      visibilityMs: 300_000,
      messages: [0, 200_000].map((publishAtMs) => ({ key: 'order-1', payload: 1, publishAtMs })),
      faults: [planned('crash', first('effect-applied'), { healAfterMs: 100 })],
    })
    expect(made).toMatchObject({ answer: 'confirmed', expected: { kind: 'repeat-after-crash' }, left: null })
    expect(made.tookMs).toBeGreaterThan(1_000)
  })

  it('is confirmed if only the clock of one consumer is stepped', async () => {
    const step = { at: 'time', ms: 50 }
    const faults = [planned('clock-step', step, { machine: 0, byMs: 3_600_000 })]
    const messages = [0, 100].map((publishAtMs) => ({ key: 'order-1', payload: 1, publishAtMs }))
    const made = await confirmed(lab, '000-decorator', { messages, faults, consumers: 2 }, { holds: true })
    expect(made).toMatchObject({ answer: 'confirmed', left: null })
  })

  it('is confirmed if a client learns by Pub/Sub that a lock is free', async () => {
    const plan = { ...twice, consumers: 2, effectMs: 50 }
    const made = await confirmed(lab, '../third-party/simple-redis-mutex', plan, { holds: true })
    expect(made).toMatchObject({ answer: 'confirmed', left: null })
  })

  it('is confirmed if a client with a cache receives an invalidation by its own command with a reply', async () => {
    const made = await confirmed(lab, '../../test/live/adapters/caches-by-tracking', {}, { holds: true })
    expect(made).toMatchObject({ answer: 'confirmed', left: null })
  })

  it.each(['keyed', 'fenced'] as const)('is confirmed if the layer queries the sink: %s', async (sink) => {
    const faults = [...twice.faults!, planned('slow-effect', first('effect-unapplied'), { extraMs: 500 })]
    const layer = '../../test/live/adapters/asks-the-sink'
    const made = await confirmed(lab, layer, { faults }, { holds: true, sink })
    expect(made).toMatchObject({ answer: 'confirmed', left: null })
  })

  it('is confirmed if the sink cancels one effect, and does not answer about another', async () => {
    const messages = [0, 1300, 2600].map((publishAtMs) => ({ key: 'order-1', payload: 1, publishAtMs }))
    const sinkFaults = [
      planned('slow-effect', first('effect-unapplied'), { extraMs: 1500 }),
      planned('slow-effect', { ...first('effect-unapplied'), nth: 2 }, { extraMs: 1500 }),
      planned('effect-fails-before', { ...first('effect-unapplied'), nth: 5 }, { how: 'drop' }),
    ]
    const plan = { messages, faults: sinkFaults, leaseMs: 1000, effectTimeoutMs: 5000, visibilityMs: 60_000 }
    const layer = '../suggested/002-owner-token-compensates'
    const made = await confirmed(lab, layer, plan, { sink: 'cancellable' })
    expect(made).toMatchObject({ answer: 'confirmed', expected: { invariant: 'at-most-once', kind: 'duplicate' } })
  })

  it('is not confirmed with a layer that was changed to hold, and reports where it left the path', async () => {
    const made = await confirmed(lab, '001-get-set', twice, { live: edited('marks-first') })
    expect(made).toMatchObject({
      answer: 'not confirmed',
      left: {
        expected: 'consumer-1 effect-sent order-1',
        seen: 'consumer-1 command-unsent SET idempotency:order-1',
      },
    })
  })

  it('is not confirmed with a layer that stops before it acts, once its processes are at rest', async () => {
    const made = await confirmed(lab, '001-get-set', twice, { live: edited('waits-for-ever') })
    expect(made).toMatchObject({
      answer: 'not confirmed',
      left: { expected: 'consumer-1 effect-sent order-1', seen: null },
    })
    // Without rest detection, it would be given up after 20 s.
    expect(made.tookMs).toBeLessThan(15_000)
  })

  it('is rejected as fast with a layer that listens to a channel', async () => {
    const made = await confirmed(lab, '../../test/live/adapters/listens', twice, { live: edited('listens-for-ever') })
    expect(made).toMatchObject({
      answer: 'not confirmed',
      left: { expected: 'consumer-1 effect-sent order-1', seen: null },
    })
    expect(made.tookMs).toBeLessThan(15_000)
  })

  it('is confirmed with a layer whose work is invisible to the harness', async () => {
    const made = await confirmed(lab, '001-get-set', twice, { live: edited('thinks-first') })
    expect(made).toMatchObject({ answer: 'confirmed', left: null })
  })
})
