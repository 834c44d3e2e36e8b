import { inARow, lookOften } from '../parts/look.ts'
import { suspicious } from '../parts/per-fault.ts'

export default suspicious(
  {
    id: 'canary-only-clock-frozen',
    about: 'Performs twice if its clock has stopped.',
    kind: 'clock-frozen',
    scenarios: ['clock-skew'],
  },
  async () => {
    let before = 0
    const still = await lookOften(20, () => {
      const now = Date.now()
      const stands = now === before
      before = now
      return stands
    })
    return inARow(still, 4, (stands) => stands)
  },
)
