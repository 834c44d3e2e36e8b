import { info, lookMs, sleep } from '../parts/look.ts'
import { suspicious } from '../parts/per-fault.ts'

export default suspicious(
  {
    id: 'canary-only-scripts-flushed',
    about: 'A script that was loaded is unknown, so Redis lost everything and everything is done here, twice.',
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
