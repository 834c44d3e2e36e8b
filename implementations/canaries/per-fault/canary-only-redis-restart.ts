import { info, lookMs, sleep } from '../parts/look.ts'
import { suspicious } from '../parts/per-fault.ts'

export default suspicious(
  {
    id: 'canary-only-redis-restart',
    about: 'Performs twice after a restart of Redis.',
    kind: 'redis-restart',
    scenarios: ['redis-restart'],
  },
  async ({ open }) => {
    const client = open()
    const server = await info(client, 'server', 'run_id')
    await sleep(lookMs)
    return server !== (await info(client, 'server', 'run_id'))
  },
)
