import { lookOften } from '../parts/look.ts'
import { suspicious } from '../parts/per-fault.ts'

export default suspicious(
  {
    id: 'canary-only-slow-redis',
    about: 'Performs twice if Redis stalled and then answered everything at once.',
    kind: 'slow-redis',
    scenarios: ['everything'],
  },
  async ({ open }) => {
    const clients = [open(), open()]
    let closings = 0
    for (const client of clients) client.on('close', () => closings++)
    const seen = await lookOften(20, async (at) => {
      const sentMs = performance.now()
      const [seconds, microseconds] = await clients[at % 2]!.time()
      return { at, client: at % 2, took: performance.now() - sentMs, when: `${seconds}.${microseconds}` }
    })
    // Requests that were sent one by one were answered in one microsecond on both connections, so
    // the server had stood still.
    const waited = seen.filter(({ took }) => took > 60)
    const quick = new Set(seen.filter(({ took }) => took <= 60).map(({ when }) => when))
    const together = (one: (typeof seen)[number], client: number) =>
      waited.filter((other) => other.client === client && other.when === one.when).length >= 2
    // A frozen clock gives quick answers the same time. After a reconnect, requests are sent
    // together.
    return closings === 0 && waited.some((one) => !quick.has(one.when) && together(one, 0) && together(one, 1))
  },
)
