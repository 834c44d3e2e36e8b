/**
 * Whether a PostgreSQL that was started takes clients: it makes its files, or reads its log, before
 * it does.
 */
import { openClient } from '../postgres/open-client.ts'
import type { Login } from '../postgres/postgres-machine.ts'
import type { Address } from '../proxy/link-proxy.ts'

const timeoutMs = 20_000
const soonMs = 1_000

/** Null once it does; a sentence, with what it said last, where that takes too long. */
export async function takesClients(address: Address, login: Login): Promise<string | null> {
  const until = performance.now() + timeoutMs
  for (;;) {
    const refused = await refusalOf(address, login)
    if (refused === null) return null
    if (performance.now() > until) return `it accepted no client within ${timeoutMs} ms (${refused})`
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

/**
 * Where a container's port is taken for it, a connection is taken before anybody listens inside,
 * and then closed.
 */
async function refusalOf({ host, port }: Address, login: Login): Promise<string | null> {
  try {
    const client = await openClient({ host, port, ...login, connectionTimeoutMillis: soonMs })
    await client.end()
    return null
  } catch (error) {
    const { message, code } = error as Error & { code?: string }
    return message || (code ?? 'no answer')
  }
}
