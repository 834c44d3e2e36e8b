import { serverFault } from './server-fault.ts'

/**
 * The server process is killed: everything that is not durable is lost, and open statements get no
 * reply.
 */
export const postgresRestart = serverFault({
  kind: 'postgres-restart',
  store: 'postgres',
  about: 'the PostgreSQL server dies with its sessions, and comes back with what was durable by then',
  delays: 'all',
  needs: 'a PostgreSQL server that is up',
  sentence: 'postgres dies',
  healed: 'postgres is back, with what was durable',
  strike: (machine) => ({ do: 'stop-machine', machine, withDisk: false }),
  heal: (machine) => ({ do: 'start-machine', machine }),
})
