import { afterAll, beforeAll, describe } from 'vitest'
import { findPostgres, type PostgresServer, startPostgres } from '../../../../src/fidelity/postgres/process.ts'
import { type ServedPostgres, servePostgres } from '../served-postgres.ts'

interface Both {
  readonly real: PostgresServer
  readonly simulated: ServedPostgres
}

/** Where there is a PostgreSQL on this machine: `tests` reads the servers while a test runs, not before. */
export function describeBothServers(tests: (servers: () => Both) => void): void {
  const programs = findPostgres()
  describe.skipIf(programs === undefined)('the simulated PostgreSQL and PostgreSQL 15', () => {
    let real: PostgresServer
    let simulated: ServedPostgres
    beforeAll(async () => {
      real = await startPostgres(programs!)
      simulated = await servePostgres()
    })
    afterAll(async () => {
      await simulated?.stop()
      await real?.stop()
    })
    tests(() => ({ real, simulated }))
  })
}
