import { serverFault } from './server-fault.ts'

/** Another client runs FLUSHALL. */
export const redisFlushed = serverFault({
  kind: 'redis-flushed',
  about: 'somebody runs FLUSHALL on the server',
  delays: 'none',
  needs: 'a server that is up',
  sentence: 'somebody runs FLUSHALL on redis',
  strike: (machine) => ({ do: 'flush-keys', machine }),
})
