import { serverFault } from './server-fault.ts'

export const redisBusy = serverFault({
  kind: 'redis-busy',
  about: 'a script of another client runs for too long, and the server answers BUSY',
  delays: 'all',
  needs: 'a server that is up and not busy',
  sentence: 'redis is busy with a script of another client',
  healed: 'the script of another client is done',
  strike: (machine) => ({ do: 'degrade', machine, what: 'busy', on: true }),
  heal: (machine) => ({ do: 'degrade', machine, what: 'busy', on: false }),
})
