import { lookMs, sleep } from '../parts/look.ts'
import { suspicious } from '../parts/per-fault.ts'

export default suspicious(
  {
    id: 'canary-only-dns-failure',
    about: 'Performs twice if the name of Redis does not resolve.',
    kind: 'dns-failure',
    scenarios: ['everything'],
  },
  async ({ open }) => {
    let lost = false
    open().on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOTFOUND' || error.code === 'EAI_AGAIN') lost = true
    })
    await sleep(lookMs)
    return lost
  },
)
