import { serverFault } from './server-fault.ts'

/** A full disk queue, a checkpoint or a noisy neighbour: all statements wait. */
export const slowPostgres = serverFault({
  kind: 'slow-postgres',
  store: 'postgres',
  about: 'the PostgreSQL server executes nothing for a while, and everything after it',
  delays: 'all',
  needs: 'a PostgreSQL server that is up and executes statements',
  sentence: 'postgres stops executing statements for a while',
  healed: 'postgres executes what has waited',
  strike: (machine) => ({ do: 'stall', machine, on: true }),
  heal: (machine) => ({ do: 'stall', machine, on: false }),
})
