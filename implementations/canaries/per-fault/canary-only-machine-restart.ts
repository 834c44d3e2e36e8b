import { info, lookMs, sleep } from '../parts/look.ts'
import { suspicious } from '../parts/per-fault.ts'

export default suspicious(
  {
    id: 'canary-only-machine-restart',
    about: 'Performs twice if a replica was restarted.',
    kind: 'machine-restart',
    scenarios: ['data-loss'],
  },
  async ({ open, openAt }) => {
    const listed = /ip=(.*),port=(\d+)/.exec(await info(open(), 'replication', 'slave0'))
    if (listed === null) return false
    const replica = openAt({ host: listed[1]!, port: Number(listed[2]) })
    const look = async () => [await info(replica, 'replication', 'role'), await info(replica, 'server', 'run_id')]
    const [roleBefore, before] = await look()
    await sleep(lookMs)
    const [role, after] = await look()
    return role === 'slave' && role === roleBefore && before !== after
  },
)
