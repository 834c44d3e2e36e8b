/** Servers that are started beside PostgreSQL end with it. The servers are fakes. */
import { expect, it } from 'vitest'
import type { LiveEnvironment } from '../../../src/live/environment/environment.ts'
import { type PostgresHost, usualSettings } from '../../../src/live/postgres/postgres-machine.ts'
import { withPostgres } from '../../../src/live/postgres/with-postgres.ts'

function lab(clears: boolean) {
  const closed: string[] = []
  const closing = (what: string) => async () => void closed.push(what)
  const machine = {
    close: async () => {
      if (!clears) throw new Error('it cannot be reached')
      closed.push('PostgreSQL')
    },
  }
  const base = { startServers: async () => ({ machine: null, close: closing('Redis') }), close: closing('proxies') }
  const host = { start: async () => machine, close: closing('host') }
  const both = withPostgres(base as unknown as LiveEnvironment, host as unknown as PostgresHost)
  return { both, closed }
}

const wish = { stores: ['redis', 'postgres'], postgres: usualSettings } as const

it('ends Redis even if PostgreSQL cannot be cleared, and reports why', async () => {
  const { both, closed } = lab(false)
  const servers = await both.startServers('single', wish)
  await expect(servers.close()).rejects.toThrow('it cannot be reached')
  expect(closed).toEqual(['Redis'])
})

it('ends both, PostgreSQL first', async () => {
  const { both, closed } = lab(true)
  const servers = await both.startServers('single', wish)
  await servers.close()
  expect(closed).toEqual(['PostgreSQL', 'Redis'])
})
