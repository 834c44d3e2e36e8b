import { serverFault } from './server-fault.ts'

/**
 * The machine of the server is lost with its disk, and with it all commits that the standby had not
 * received. When the fault heals, clients reach the standby at the same address.
 */
export const postgresFailover = serverFault({
  kind: 'postgres-failover',
  store: 'postgres',
  about: 'the PostgreSQL server is lost with its disk, and its standby takes over with the data that it has',
  delays: 'all',
  needs: 'a PostgreSQL server that is up and has a standby',
  sentence: 'postgres is lost with its disk',
  healed: 'the standby of postgres takes over',
  fits: ({ hasStandby }) => hasStandby === true,
  canStrike: ({ postgres }) => postgres?.standby !== undefined,
  strike: (machine) => ({ do: 'stop-machine', machine, withDisk: true }),
  heal: (machine) => ({ do: 'start-machine', machine }),
})
