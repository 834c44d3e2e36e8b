import { answerToWrite, lookOften } from '../parts/look.ts'
import { suspicious } from '../parts/per-fault.ts'

export default suspicious(
  {
    id: 'canary-only-error-reply',
    about: 'Performs twice after a MISCONF error of Redis.',
    kind: 'error-reply',
    scenarios: ['everything'],
  },
  async ({ open }) => {
    const client = open()
    const answers = await lookOften(20, () => answerToWrite(client))
    return answers.includes('MISCONF')
  },
)
