import { answerToWrite, lookOften } from '../parts/look.ts'
import { suspicious } from '../parts/per-fault.ts'

export default suspicious(
  {
    id: 'canary-only-error-reply',
    about: 'Redis cannot save to disk, so nothing that it holds will last and everything is done here, twice.',
    kind: 'error-reply',
    scenarios: ['everything'],
  },
  async ({ open }) => {
    const client = open()
    const answers = await lookOften(20, () => answerToWrite(client))
    return answers.includes('MISCONF')
  },
)
