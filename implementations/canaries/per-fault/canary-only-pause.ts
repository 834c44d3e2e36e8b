import { lookOften } from '../parts/look.ts'
import { suspicious } from '../parts/per-fault.ts'

export default suspicious(
  {
    id: 'canary-only-pause',
    about: 'Performs twice after its process has stalled.',
    kind: 'pause',
    scenarios: ['slow-lock-holder', 'clock-skew'],
  },
  async () => {
    let before = performance.now()
    const gaps = await lookOften(20, () => {
      const gap = performance.now() - before
      before += gap
      return gap
    })
    return gaps.some((gap) => gap > 100)
  },
)
