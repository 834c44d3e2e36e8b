import { lookMs, sleep } from '../parts/look.ts'
import { suspicious } from '../parts/per-fault.ts'

export default suspicious(
  {
    id: 'canary-only-connection-reset',
    about: 'Performs twice if all its connections broke at once.',
    kind: 'connection-reset',
    scenarios: ['lost-reply'],
  },
  async ({ open }) => {
    const closings: number[] = []
    const clients = [open(), open()]
    for (const client of clients) client.on('close', () => closings.push(performance.now()))
    await sleep(lookMs)
    return closings.some((one, at) => closings.some((other, place) => place > at && Math.abs(other - one) < 40))
  },
)
