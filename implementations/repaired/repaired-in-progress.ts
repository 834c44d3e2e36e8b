/**
 * A lock that ends by itself, repaired: what 001-get-set, 003-set-nx-in-progress, 004-naive and 004-lock-and-record do,
 * before a sink that is given the key and remembers it. It holds on such a sink alone.
 *
 * The sink is what keeps the effect from happening twice; IN_PROGRESS only saves it requests. So it may end early, and may
 * be taken over. What is written is written by the owner alone, and nothing is deleted after an error. A message that is so
 * old that the sink may have forgotten its key is parked.
 */
import { randomUUID } from 'node:crypto'
import { defineImplementation } from '../../src/contract/implementation.ts'
import { fingerprint } from '../correct/parts/bind-payload.ts'
import { openClient } from '../correct/parts/open-client.ts'
import { defineOwnersScripts, isTooOldToTell, look, type OwnersRedis, skewMs } from './parts/scripts.ts'

const reserveScript = `-- reserve: KEYS[1] record; ARGV owner, fingerprint, life (ms), produced at, retention (ms), skew (ms), lease (ms), record
${look}if stored and stored.owner ~= ARGV[1] and ageMs >= 0 and ageMs < tonumber(ARGV[7]) then return {'in-progress'} end
${isTooOldToTell}redis.call('SET', KEYS[1], ARGV[8], 'PX', ARGV[3])
return {'reserved'}
`

interface Client extends OwnersRedis {
  reserve(
    name: string,
    owner: string,
    payload: string,
    lifeMs: number,
    producedAt: number,
    retentionMs: number,
    skewMs: number,
    leaseMs: number,
    inProgress: string,
  ): Promise<['reserved' | 'in-progress' | 'key-reused' | 'unknown-age'] | ['completed', string]>
}

export default defineImplementation({
  id: 'repaired-in-progress',
  about: 'IN_PROGRESS only saves requests: the sink is given the key, and answers a repeated request as the first.',
  expect: 'holds',
  recoveryBoundMs: 60_000,
  sinks: ['keyed'],
  leavesNoDoubtOn: ['keyed'],
  create({ redis, leaseMs, retentionMs, sink }) {
    const client = openClient(redis) as Client
    client.defineCommand('reserve', { numberOfKeys: 1, lua: reserveScript })
    defineOwnersScripts(client)
    const lifeMs = 2 * retentionMs
    return {
      async handle({ key, payload, producedAt }) {
        const name = `idempotency:v2:${key}`
        const mine = { owner: randomUUID(), payload: fingerprint(payload) }
        const inProgress = JSON.stringify({ status: 'IN_PROGRESS', ...mine })
        const [reply, result] = await client.reserve(
          ...([name, mine.owner, mine.payload, lifeMs, producedAt, retentionMs, skewMs, leaseMs, inProgress] as const),
        )
        if (reply === 'completed') return { status: 'done', result: JSON.parse(result) }
        if (reply === 'in-progress') return { status: 'retry', reason: 'the key is in progress' }
        if (reply !== 'reserved') return { status: 'park', reason: reply }
        const receipt = await sink.perform({ key, payload })
        const completed = { status: 'COMPLETED', ...mine, result: JSON.stringify(receipt ?? null) }
        await client.replace(name, mine.owner, JSON.stringify(completed), lifeMs)
        return { status: 'done', result: receipt }
      },
      close: () => client.disconnect(),
    }
  },
})
