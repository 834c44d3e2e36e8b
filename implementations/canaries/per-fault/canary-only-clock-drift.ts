import type { Redis } from 'ioredis'
import { lookMs, sleep } from '../parts/look.ts'
import { suspicious } from '../parts/per-fault.ts'

export default suspicious(
  {
    id: 'canary-only-clock-drift',
    about: 'Performs twice if its clock runs at another rate than the clock of Redis.',
    kind: 'clock-drift',
    scenarios: ['clock-skew'],
  },
  async ({ open }) => {
    const client = open()
    const paces: number[] = []
    let before = await redisMs(client)
    for (let at = 0; at < 3; at++) {
      await sleep(lookMs / 3)
      const now = await redisMs(client)
      paces.push((now - before) / (lookMs / 3))
      before = now
    }
    // A step, a freeze or a late answer changes one interval; a wrong pace changes all of them.
    const [least, most] = [Math.min(...paces), Math.max(...paces)]
    return most - least < 0.2 && least > 0.2 && (most < 0.8 || least > 1.25)
  },
)

async function redisMs(client: Redis): Promise<number> {
  const [seconds, microseconds] = await client.time()
  return Number(seconds) * 1000 + Number(microseconds) / 1000
}
