import { serverFault } from './server-fault.ts'

/**
 * The primary (or the independent server that the plan selects) crashes and restarts with the data
 * on its disk. Without persistence it restarts empty.
 */
export const redisRestart = serverFault({
  kind: 'redis-restart',
  about: 'the Redis server dies, and restarts without scripts and with only the data on its disk',
  delays: 'all',
  needs: 'a server that is up',
  sentence: ({ name, hasDisk }) => (hasDisk ? `${name} dies` : `${name} dies with all its data`),
  healed: ({ name, hasDisk }) => `${name} is back, ${hasDisk ? 'with the data on its disk' : 'empty'}`,
  strike: (machine) => ({ do: 'stop-machine', machine, withDisk: false }),
  heal: (machine) => ({ do: 'start-machine', machine }),
})
