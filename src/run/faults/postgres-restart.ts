import { serverFault } from './server-fault.ts'

/**
 * The server process is killed: everything that is not durable is lost, and open statements get no
 * reply.
 */
export const postgresRestart = serverFault({
  kind: 'postgres-restart',
  store: 'postgres',
  about: 'the PostgreSQL server dies with its sessions, and restarts with its durable data',
  delays: 'all',
  needs: 'a PostgreSQL server that is up',
  sentence: 'postgres dies',
  healed: 'postgres is back with its durable data',
  strike: (machine) => ({ do: 'stop-machine', machine, withDisk: false }),
  heal: (machine) => ({ do: 'start-machine', machine }),
})
