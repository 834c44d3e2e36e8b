import { brokenWrite } from '../parts/broken-write.ts'
import { suspicious } from '../parts/per-fault.ts'

export default suspicious(
  {
    id: 'canary-only-lost-reply',
    about: 'Performs twice if its connection broke and its write is there.',
    kind: 'lost-reply',
    scenarios: ['lost-reply'],
  },
  async (around) => (await brokenWrite(around)) === 'executed',
)
