import { lookOften } from '../parts/look.ts'
import { suspicious } from '../parts/per-fault.ts'

export default suspicious(
  {
    id: 'canary-only-clock-step',
    about: 'Performs twice if its clock has jumped forward.',
    kind: 'clock-step',
    scenarios: ['clock-skew'],
  },
  async () => {
    let before = Date.now() - performance.now()
    const gained = await lookOften(20, () => {
      const now = Date.now() - performance.now()
      const gain = now - before
      before = now
      return gain
    })
    // A frozen or slow clock never gains; a backward step gains when it heals.
    return gained.some((gain) => gain > 5)
  },
)
