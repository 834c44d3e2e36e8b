import { brokenWrite } from '../parts/broken-write.ts'
import { suspicious } from '../parts/per-fault.ts'

export default suspicious(
  {
    id: 'canary-only-lost-request',
    about: 'Performs twice if its connection broke and its write is not there.',
    kind: 'lost-request',
    scenarios: ['lost-reply'],
  },
  async (around) => (await brokenWrite(around)) === 'not executed',
)
