/** Replays violating runs under Sentinels on real servers, step by step. */
import { expect, it } from 'vitest'
import type { Plan, RedisPlan } from '../../../src/contract/api/plan.ts'
import { planned } from '../../campaign/replay-live/recorded.ts'
import { describeLive } from '../lab.ts'
import { edited, makingOn } from './make-on-servers.ts'

const confirmed = makingOn('sentinel')

const redis: RedisPlan = {
  replicas: 2,
  sentinels: 3,
  downAfterMs: 1200,
  failoverTimeoutMs: 3000,
  keeps: 'aof-everysec',
  minReplicasToWrite: 0,
  fullSyncMs: 0,
  loadingMs: 0,
}
const atMs = (ms: number) => ({ at: 'time', ms })
const primary = { who: 'primary', which: 0, withReplica: false, healAfterMs: 8000 }
const copyAt = (ms: number) => planned('duplicate-delivery', atMs(ms), { message: 0 })

/** The primary dies with a mark that no replica has. */
const lost: Partial<Plan> = {
  redis,
  faults: [
    planned('machine-cut-off', atMs(0), { ...primary, from: 'servers' }),
    planned('redis-restart', atMs(200), { healAfterMs: 8000 }),
    copyAt(5000),
  ],
}

/** The same without the cut: the replicas have the mark. */
const kept: Partial<Plan> = { ...lost, redis: { ...redis, keeps: 'nothing' }, faults: lost.faults!.slice(1) }

/**
 * The primary continues without the others, with its client, until the client loses its connection.
 */
const apart: Partial<Plan> = {
  redis,
  messages: [{ key: 'order-1', payload: { order: 1 }, publishAtMs: 4500 }],
  faults: [
    planned('machine-cut-off', atMs(100), { ...primary, from: 'machines', healAfterMs: 12_000 }),
    planned('connection-reset', atMs(5000), { consumer: 0 }),
    copyAt(6500),
  ],
}

describeLive('a run of the simulator under Sentinels, replayed on real servers,', (lab) => {
  it('is confirmed if a primary dies with a mark that no replica has', async () => {
    expect(await confirmed(lab, '001-get-set', lost)).toMatchObject({
      answer: 'confirmed',
      left: null,
      expected: { kind: 'repeat-after-loss:failover', decidedBy: 'GET: nothing' },
    })
  })

  it('is confirmed to hold if the replicas have the mark', async () => {
    const made = await confirmed(lab, '001-get-set', kept, { holds: true })
    expect(made).toMatchObject({ answer: 'confirmed', expected: null, left: null })
  })

  it('is confirmed if a primary continues without the others, and another one replaces it', async () => {
    const made = await confirmed(lab, '001-get-set', apart)
    expect(made).toMatchObject({ answer: 'confirmed', expected: { kind: 'repeat-after-loss:split-brain' }, left: null })
  })

  it('is not confirmed with a layer that was changed to hold, and reports where it left the path', async () => {
    const made = await confirmed(lab, '001-get-set', lost, { live: edited('waits-for-replicas') })
    expect(made).toMatchObject({
      answer: 'not confirmed',
      seen: [],
      left: {
        expected: 'consumer-1 command-unsent GET idempotency:order-1',
        seen: 'consumer-1 command-unsent SET idempotency:order-1',
      },
    })
  })
})
