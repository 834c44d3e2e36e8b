import { brokenWrite } from '../parts/broken-write.ts'
import { suspicious } from '../parts/per-fault.ts'

export default suspicious(
  {
    id: 'canary-only-lost-reply',
    about:
      'The connection broke, and what was written is there: somebody else wrote it, so everything is done here, twice.',
    kind: 'lost-reply',
    scenarios: ['lost-reply'],
  },
  async (around) => (await brokenWrite(around)) === 'executed',
)
