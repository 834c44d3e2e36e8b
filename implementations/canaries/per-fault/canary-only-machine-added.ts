import { info, lookOften } from '../parts/look.ts'
import { suspicious } from '../parts/per-fault.ts'

export default suspicious(
  {
    id: 'canary-only-machine-added',
    about: 'Performs twice if the primary has more replicas than configured.',
    kind: 'machine-added',
    scenarios: ['uncounted-replica'],
  },
  async ({ context, open }) => {
    const primary = open()
    const looks = await lookOften(250, async () => Number(await info(primary, 'replication', 'connected_slaves')), 2500)
    return looks.some((attached) => attached > (context.redis.replicas ?? 0))
  },
)
