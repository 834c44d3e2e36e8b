import type { Redis } from 'ioredis'
import { lookOften, sleep } from '../parts/look.ts'
import { suspicious } from '../parts/per-fault.ts'

const answers = (client: Redis): Promise<boolean> =>
  Promise.race([
    client.ping().then(
      () => true,
      () => true,
    ),
    sleep(400).then(() => false),
  ])

export default suspicious(
  {
    id: 'canary-only-half-open',
    about: 'Performs twice if a connection is half-open while a new one works.',
    kind: 'half-open',
    scenarios: ['half-open-connections'],
  },
  async ({ open }) => {
    const client = open()
    const looks = await lookOften(50, () => answers(client))
    return looks.includes(false) && (await answers(open()))
  },
)
