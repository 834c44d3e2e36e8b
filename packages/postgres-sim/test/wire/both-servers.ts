import { type PostgresServer, startPostgres } from 'test-servers'
import { afterAll, beforeAll } from 'vitest'
import { needs, pathOf } from '../../../../test/needs/needs.ts'
import { type ServedPostgres, servePostgres } from '../served-postgres.ts'

interface Both {
  readonly real: PostgresServer
  readonly simulated: ServedPostgres
}

/** Runs tests with both servers. `tests` may call `servers` only inside hooks and tests. */
export function describeBothServers(tests: (servers: () => Both) => void): void {
  needs({ postgres: '15' }).describe('the simulated PostgreSQL and PostgreSQL 15', () => {
    let real: PostgresServer
    let simulated: ServedPostgres
    beforeAll(async () => {
      real = await startPostgres(pathOf('postgres'))
      simulated = await servePostgres()
    })
    afterAll(async () => {
      await simulated?.stop()
      await real?.stop()
    })
    tests(() => ({ real, simulated }))
  })
}
