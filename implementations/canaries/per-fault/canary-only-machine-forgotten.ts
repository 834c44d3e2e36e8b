import type { Redis } from 'ioredis'
import { lookMs, sleep } from '../parts/look.ts'
import { suspicious } from '../parts/per-fault.ts'

export default suspicious(
  {
    id: 'canary-only-machine-forgotten',
    about: 'Performs twice if the Sentinels know fewer replicas than before.',
    kind: 'machine-forgotten',
    scenarios: ['forgotten-replica'],
  },
  async ({ context, openAt }) => {
    const { sentinels = [], name } = context.redis.options as {
      sentinels?: { host: string; port: number }[]
      name: string
    }
    const clients = sentinels.map((at) => openAt(at))
    // A Sentinel that has not discovered all replicas yet also knows fewer, so wait until it has.
    const fewest = async () => Math.min(...(await Promise.all(clients.map((client) => count(client, name)))))
    const before = await fewest()
    await sleep(2 * lookMs)
    return (await fewest()) < Math.max(before, context.redis.replicas ?? 0)
  },
)

async function count(sentinel: Redis, name: string): Promise<number> {
  return ((await sentinel.call('SENTINEL', 'REPLICAS', name)) as unknown[]).length
}
