import { serverFault } from './server-fault.ts'

export const connectionLimit = serverFault({
  kind: 'connection-limit',
  about: 'the server accepts no more clients',
  delays: 'all',
  needs: 'a server that is up and accepts clients',
  sentence: 'redis accepts no more clients',
  healed: 'redis accepts clients again',
  strike: (machine) => ({ do: 'degrade', machine, what: 'connectionsExhausted', on: true }),
  heal: (machine) => ({ do: 'degrade', machine, what: 'connectionsExhausted', on: false }),
})
