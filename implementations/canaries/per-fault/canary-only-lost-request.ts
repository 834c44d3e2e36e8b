import { brokenWrite } from '../parts/broken-write.ts'
import { suspicious } from '../parts/per-fault.ts'

export default suspicious(
  {
    id: 'canary-only-lost-request',
    about:
      'The connection broke, and what was written is not there: nothing happened, so everything is done here, twice.',
    kind: 'lost-request',
    scenarios: ['lost-reply'],
  },
  async (around) => (await brokenWrite(around)) === 'not executed',
)
