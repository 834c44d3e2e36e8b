import { serverFault } from './server-fault.ts'

/**
 * All statements wait, as during a checkpoint or because of a full disk queue or a noisy neighbor.
 */
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
