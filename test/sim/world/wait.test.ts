/** WAIT that counts silent replicas. Each run in which it does ends as a harness failure. */

import { RedisServer } from 'redis-sim'
import { describe, expect, it } from 'vitest'
import { runCampaign } from '../../../src/campaign/conduct/campaign.ts'
import { createDeps } from '../../../src/cli/create-deps.ts'
import { selectPairs } from '../../../src/cli/select.ts'
import { exitCodes } from '../../../src/contract/api/exit-codes.ts'
import type { RedisPlan } from '../../../src/contract/api/plan.ts'
import { fakeContext } from '../../campaign/fake-deps.ts'
import { done, layer, play } from '../world-lab.ts'

const twoReplicas: RedisPlan = {
  replicas: 2,
  sentinels: 0,
  downAfterMs: 1000,
  failoverTimeoutMs: 2000,
  keeps: 'nothing',
  minReplicasToWrite: 0,
  fullSyncMs: 0,
  loadingMs: 300,
}

/** While `work` runs, WAIT counts every attached replica. */
async function countingAll<T>(work: () => Promise<T>): Promise<T> {
  const clock = { nowUs: () => 0, random: () => 0, schedule: () => () => {}, unsupported: () => {} }
  const prototype = Object.getPrototypeOf(new RedisServer(clock).replication.replicas)
  const { countAcknowledged } = prototype
  prototype.countAcknowledged = function (this: { readonly list: readonly object[] }) {
    return this.list.length
  }
  try {
    return await work()
  } finally {
    prototype.countAcknowledged = countAcknowledged
  }
}

/** The replies to a layer’s WAIT, which is sent with a write. */
async function waited() {
  const answers: number[] = []
  const adapter = layer(async (_, redis) => {
    // In one pipeline, so that WAIT arrives before the write has reached any replica.
    const replies = await redis.pipeline().set('a', '1').call('WAIT', '2', '1000').exec()
    answers.push(replies![1]![1] as number)
    return done
  })
  await play(adapter, { redis: twoReplicas, record: false })
  return answers
}

async function campaign() {
  const deps = createDeps(() => false)
  const wanted = { implementations: ['reference'], scenarios: ['redis-failover'], sink: 'plain' as const }
  const pairs = (await selectPairs(wanted, [], deps)).map((choice) => ({ choice, bound: { runs: 2 } }))
  const explain = { layer: 0, path: 0, checks: 0 }
  const request = { pairs, control: null, layers: 'must-hold' as const, seed: 1, bail: false, cheaper: [] }
  return runCampaign({ ...request, reports: 'reports', explain }, fakeContext(deps))
}

describe('the number in the reply to WAIT', () => {
  it('counts replicas that have the write', async () => {
    expect(await waited()).toEqual([2])
  })

  it('ends the run if it is too high', async () => {
    await expect(countingAll(waited)).rejects.toThrow(/answers WAIT with 2, but 0 of its replicas have/)
  })

  it('ends a campaign with exit code 3 if it is too high, and only then', async () => {
    const { exitCode, harnessFailure } = await countingAll(campaign)
    expect(exitCode).toBe(exitCodes.harness)
    expect(harnessFailure).toContain('answers WAIT with')
    expect((await campaign()).harnessFailure).toBeNull()
  })
})
