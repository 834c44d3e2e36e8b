import { info, lookMs, sleep } from '../parts/look.ts'
import { suspicious } from '../parts/per-fault.ts'

export default suspicious(
  {
    id: 'canary-only-redis-flushed',
    about: 'Performs twice if the keys are gone without a restart of Redis.',
    kind: 'redis-flushed',
    scenarios: ['redis-restart'],
  },
  async ({ context, open }) => {
    const client = open()
    const mark = `canary:mark:${context.instanceId}`
    const server = await info(client, 'server', 'run_id')
    await client.set(mark, 1, 'PX', 600_000)
    await sleep(lookMs)
    if ((await client.exists(mark)) === 1 || server !== (await info(client, 'server', 'run_id'))) return false
    return (await info(client, 'stats', 'evicted_keys')) === '0'
  },
)
