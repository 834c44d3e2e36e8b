import type { Cluster, Redis } from 'ioredis'
import { describe, expect, it } from 'vitest'
import { allPrimaries, ClusterIncomplete } from '../../src/impl/primaries.ts'

/** A node with this answer to CLUSTER NODES. */
const node = (flags: string, ...slots: string[]): Redis =>
  ({
    cluster: async () =>
      [
        'a 10.0.0.9:6379@16379 master - 0 0 9 connected 0-16383',
        `b 10.0.0.1:6379@16379 myself,${flags} - 0 0 1 connected ${slots.join(' ')}`,
      ].join('\n'),
  }) as unknown as Redis

/** A client that knows `before`, and `after` once it has asked for the slots. */
const cluster = (before: Redis[], after: Redis[] | Error): Cluster => {
  let known = before
  return {
    isCluster: true,
    nodes: () => known,
    refreshSlotsCache(reported: (error?: Error) => void) {
      if (after instanceof Error) return reported(after)
      known = after
      reported()
    },
  } as unknown as Cluster
}

const whole = [
  node('master', '0-5460'),
  node('master', '5461', '5462-10922'),
  node('master', '10923-16383', '[93-<-a]'),
]

describe('the primaries of a Cluster', () => {
  it('together have all slots by their own reports, whatever the client knew', async () => {
    expect(await allPrimaries(cluster([whole[0]!], whole))).toEqual(whole)
  })

  it.each([
    ['one is unknown', whole.slice(0, 2), 5461],
    ['one is no longer a primary', [...whole.slice(0, 2), node('slave')], 5461],
    ['slots are being migrated', [...whole.slice(0, 2), node('master', '10923-16382', '[16383-<-a]')], 1],
  ])('are incomplete if %s', async (_, known, missingSlots) => {
    const failed = allPrimaries(cluster(whole, known))
    await expect(failed).rejects.toBeInstanceOf(ClusterIncomplete)
    await expect(failed).rejects.toMatchObject({ missingSlots, message: expect.stringContaining(`${missingSlots} of`) })
  })

  it('are unknown if no node answers', async () => {
    await expect(allPrimaries(cluster(whole, new Error('no node')))).rejects.toThrow('no node')
  })

  it('are the single client without a Cluster', async () => {
    const client = { isCluster: false } as Redis
    expect(await allPrimaries(client)).toEqual([client])
  })
})
