/** Several servers that start to follow a schedule. The servers are fakes. */
import { afterEach, expect, it, vi } from 'vitest'
import { HeldSentinels } from '../../../src/live/held/held-sentinels.ts'

afterEach(() => void vi.restoreAllMocks())

/** `offsets`: the offset of the replica at each read. */
function lab(offsets: readonly number[]) {
  const deployment: HeldSentinels = Reflect.construct(HeldSentinels, ['redis-server', null, {}])
  let looks = 0
  const primary = { name: 'redis-1', offset: async () => 100 }
  const replica = { name: 'redis-2', offset: async () => offsets[Math.min(looks++, offsets.length - 1)] }
  deployment.nodes.push(...([primary, replica] as unknown as typeof deployment.nodes))
  const limit = vi.spyOn(deployment.rules, 'limit')
  return { deployment, limit }
}

it('are held once replicas have all data', async () => {
  const { deployment, limit } = lab([90, 100])
  await deployment.hold()
  expect(limit).toHaveBeenCalledExactlyOnceWith('redis-2', 'redis-1', 100)
})

it('report that a replica never catches up with its primary', async () => {
  const { deployment, limit } = lab([90])
  let nowMs = 0
  vi.spyOn(performance, 'now').mockImplementation(() => (nowMs += 5_000))
  await expect(deployment.hold()).rejects.toThrow(
    'the replicas: they do not get the data of their primary within 15000 ms; try again on an idle machine',
  )
  expect(limit).not.toHaveBeenCalled()
})
