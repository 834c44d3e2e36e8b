import { serverFault } from './server-fault.ts'

/** Another client runs FLUSHALL. */
export const redisFlushed = serverFault({
  kind: 'redis-flushed',
  about: 'an operator runs FLUSHALL on the server',
  delays: 'none',
  needs: 'a server that is up',
  sentence: 'an operator runs FLUSHALL on redis',
  strike: (machine) => ({ do: 'flush-keys', machine }),
})
