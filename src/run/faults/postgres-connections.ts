import { serverFault } from './server-fault.ts'

/** Other clients occupy all of `max_connections`, so the server refuses new sessions. */
export const postgresConnections = serverFault({
  kind: 'postgres-connections',
  store: 'postgres',
  about: 'the PostgreSQL server has no session left for another client',
  delays: 'all',
  needs: 'a PostgreSQL server that is up and accepts clients',
  sentence: 'postgres accepts no more clients',
  healed: 'postgres accepts clients again',
  strike: (machine) => ({ do: 'degrade', machine, what: 'connectionsExhausted', on: true }),
  heal: (machine) => ({ do: 'degrade', machine, what: 'connectionsExhausted', on: false }),
})
