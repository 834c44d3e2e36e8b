import { serverFault } from './server-fault.ts'

/** A full disk queue, a checkpoint or a noisy neighbour: all statements wait. */
export const slowPostgres = serverFault({
  kind: 'slow-postgres',
  store: 'postgres',
  about: 'the PostgreSQL server stalls for a while, then executes everything',
  delays: 'all',
  needs: 'a PostgreSQL server that is up and executes statements',
  sentence: 'postgres stops executing statements for a while',
  healed: 'postgres executes the waiting statements',
  strike: (machine) => ({ do: 'stall', machine, on: true }),
  heal: (machine) => ({ do: 'stall', machine, on: false }),
})
