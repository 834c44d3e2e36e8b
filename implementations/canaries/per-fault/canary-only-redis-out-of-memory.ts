import { answerToWrite, inARow, lookOften } from '../parts/look.ts'
import { suspicious } from '../parts/per-fault.ts'

export default suspicious(
  {
    id: 'canary-only-redis-out-of-memory',
    about: 'Performs twice if Redis is out of memory.',
    kind: 'redis-out-of-memory',
    scenarios: ['eviction', 'everything'],
  },
  async ({ open }) => {
    const client = open()
    const answers = await lookOften(10, () => answerToWrite(client))
    // A single such reply may be another kind of fault, `error-reply`.
    return inARow(answers, 3, (answer) => answer === 'OOM')
  },
)
