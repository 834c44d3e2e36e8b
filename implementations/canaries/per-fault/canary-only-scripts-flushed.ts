import { info, lookMs, sleep } from '../parts/look.ts'
import { suspicious } from '../parts/per-fault.ts'

export default suspicious(
  {
    id: 'canary-only-scripts-flushed',
    about: 'Performs twice if a loaded script is unknown.',
    kind: 'scripts-flushed',
    scenarios: ['redis-restart'],
  },
  async ({ open }) => {
    const client = open()
    const server = await info(client, 'server', 'run_id')
    const sha = await client.script('LOAD', 'return 1')
    await sleep(lookMs)
    const [known] = (await client.script('EXISTS', String(sha))) as number[]
    return known === 0 && server === (await info(client, 'server', 'run_id'))
  },
)
