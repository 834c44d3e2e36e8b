import { sleep } from '../parts/look.ts'
import { perFaultCanary } from '../parts/per-fault.ts'

export default perFaultCanary(
  {
    id: 'canary-only-slow-effect',
    about: 'Performs twice if the sink takes very long although the link is fast.',
    kind: 'slow-effect',
    scenarios: ['slow-lock-holder', 'competing-consumers'],
    sink: 'fenced',
  },
  ({ context: { sink } }) => {
    let quickestMs = Number.POSITIVE_INFINITY
    return {
      async perform(request, perform) {
        let slowest = 0
        let over = false
        const startedMs = performance.now()
        const effect = perform(request).finally(() => (over = true))
        effect.catch(() => {})
        for (let beforeMs = startedMs; !over; beforeMs = performance.now()) {
          await Promise.all([sink.lookup!(request.key).catch(() => {}), sleep(20)])
          slowest = Math.max(slowest, performance.now() - beforeMs)
        }
        const receipt = await effect
        // Slow links and pauses slow the lookups too, and an always slow sink is not a fault.
        const tookMs = performance.now() - startedMs
        const slow = tookMs - quickestMs > 300
        quickestMs = Math.min(quickestMs, tookMs)
        return slow && slowest < 150 ? perform(request) : receipt
      },
    }
  },
)
