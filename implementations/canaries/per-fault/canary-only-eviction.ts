import { info, lookMs, sleep } from '../parts/look.ts'
import { suspicious } from '../parts/per-fault.ts'

export default suspicious(
  {
    id: 'canary-only-eviction',
    about: 'Performs twice if Redis evicts keys.',
    kind: 'eviction',
    scenarios: ['eviction'],
  },
  async ({ open }) => {
    await sleep(lookMs)
    return (await info(open(), 'stats', 'evicted_keys')) !== '0'
  },
)
