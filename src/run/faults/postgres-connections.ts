import { serverFault } from './server-fault.ts'

/** Other clients have taken all of `max_connections`. */
export const postgresConnections = serverFault({
  kind: 'postgres-connections',
  store: 'postgres',
  about: 'the PostgreSQL server has no session left for a further client',
  delays: 'all',
  needs: 'a PostgreSQL server that is up and takes clients',
  sentence: 'postgres takes no client more',
  healed: 'postgres takes clients again',
  strike: (machine) => ({ do: 'degrade', machine, what: 'connectionsExhausted', on: true }),
  heal: (machine) => ({ do: 'degrade', machine, what: 'connectionsExhausted', on: false }),
})
