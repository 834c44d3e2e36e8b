/**
 * A plain lock with an expiry before a sink that deduplicates by key. Why it is correct, and what
 * it assumes: docs/findings/correct-layers.md.
 *
 * Decided here: `refused` is never returned. An earlier attempt's request may still be in flight
 * when a later one is refused, so a refusal is tried again.
 */
import { randomUUID } from 'node:crypto'
import { defineImplementation } from '../../src/contract/api/implementation.ts'
import { bindPayload } from './parts/bind-payload.ts'
import { openClient } from './parts/open-client.ts'

const releaseMine = `if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0`

export default defineImplementation({
  id: 'lock-before-keyed-sink',
  about: 'SET NX PX around the effect: the lock only saves work, the sink deduplicates by key.',
  expect: 'holds',
  accepts: [{ what: 'sink-forgets', because: 'the sink is assumed to remember a key while copies arrive' }],
  recoveryBoundMs: 60_000,
  sinks: ['keyed'],
  leavesNoDoubtOn: ['keyed'],
  async create({ redis, leaseMs, retentionMs, sink }) {
    const client = openClient(redis)
    return {
      async handle({ key, payload, producedAt }) {
        // The sink may have forgotten the key by now.
        if (Date.now() - producedAt > retentionMs) return { status: 'dead-letter', reason: 'in-doubt: too old' }
        if (!(await bindPayload(client, key, payload, 2 * retentionMs)))
          return { status: 'dead-letter', reason: 'key-reused' }
        const lock = `lock:${key}`
        const owner = randomUUID()
        if ((await client.set(lock, owner, 'PX', leaseMs, 'NX')) === null) {
          // Redis's clock was ahead when the lock was taken. The lock only saves work, so it is
          // deleted.
          if ((await client.pttl(lock)) > leaseMs) await client.del(lock)
          return { status: 'retry', reason: 'locked' }
        }
        try {
          return { status: 'done', result: await sink.perform({ key, payload }) }
        } finally {
          client.eval(releaseMine, 1, lock, owner).catch(() => {})
        }
      },
      close: () => client.disconnect(),
    }
  },
})
