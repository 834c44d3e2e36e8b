/** The steps of several servers on their own, in a schedule. */

import { install } from 'virtual-node/runtime'
import { beforeAll, describe, expect, it } from 'vitest'
import type { PlannedFault, RedisPlan } from '../../../src/contract/api/plan.ts'
import { planned } from '../../campaign/replay-live/recorded.ts'
import { expectUnchanged, scheduled } from './schedule-lab.ts'

const redis: RedisPlan = {
  replicas: 1,
  sentinels: 3,
  downAfterMs: 1200,
  failoverTimeoutMs: 3000,
  keeps: 'nothing',
  minReplicasToWrite: 0,
  fullSyncMs: 0,
  loadingMs: 0,
}

const cut = planned(
  'machine-cut-off',
  { at: 'time', ms: 0 },
  { who: 'primary', which: 0, from: 'servers', withReplica: false, healAfterMs: 9000 },
)
const death = planned('redis-restart', { at: 'time', ms: 200 }, { healAfterMs: 9000 })

beforeAll(install)

const played = (...faults: PlannedFault[]) => scheduled('001-get-set', 'sentinel', redis, ...faults)

describe('the steps of a deployment', () => {
  it('have the moment when a replica has a write, with the executing server', async () => {
    const { schedule, names } = await played()
    const { steps } = schedule
    const write = steps.findIndex(({ wrote }) => wrote)
    expect(steps[write]).toMatchObject({ server: 'redis-1' })
    expect(names.indexOf('redis-2 has write 1 of redis-1')).toBeGreaterThan(write)
  })

  it('exclude a replica that is cut off, and its promotion as an arrival of the write', async () => {
    const { names } = await played(cut, death)
    expect(names).not.toContain('redis-2 has write 1 of redis-1')
    expect(names).toContain('redis-2 promoted')
  })

  it('have the messages of Sentinels, with receivers and times', async () => {
    const { names } = await played(death)
    const asks = names.findIndex((name) => /^consumer-1 asks sentinel-\d get-master-addr-by-name$/.test(name))
    expect(names[asks + 1]).toBe(names[asks]!.replace('asks', 'hears'))
    const promoted = names.indexOf('redis-2 promoted')
    const reported = names.slice(promoted).filter((name) => name.endsWith(' announces redis-2'))
    expect(reported).toHaveLength(3)
    expect(names.slice(0, promoted).filter((name) => name.includes(' announces '))).toEqual([])
  })

  it('do not change the digest of the run', async () => {
    await expectUnchanged(await played(cut, death))
  })
})
