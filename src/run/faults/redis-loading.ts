import { serverFault } from './server-fault.ts'

export const redisLoading = serverFault({
  kind: 'redis-loading',
  about: 'the server answers LOADING to every command',
  delays: 'all',
  needs: 'a server that is up and not loading',
  sentence: 'redis answers LOADING',
  healed: 'redis has loaded its data set',
  strike: (machine) => ({ do: 'degrade', machine, what: 'loading', on: true }),
  heal: (machine) => ({ do: 'degrade', machine, what: 'loading', on: false }),
})
