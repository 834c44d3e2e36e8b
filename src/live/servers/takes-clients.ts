/**
 * Waits until a PostgreSQL that is starting accepts clients. Before that, the server creates its
 * files or reads its log.
 */
import { openClient } from '../postgres/open-client.ts'
import type { Login } from '../postgres/postgres-machine.ts'
import type { Address } from '../proxy/link-proxy.ts'

const timeoutMs = 20_000
const soonMs = 1_000

/**
 * Resolves to null once the server accepts clients; on timeout, to a sentence with its last error.
 */
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
 * The reason why the server does not accept a client; null if it does. An engine may accept a
 * connection for a container's port before the server inside listens, and then close it.
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
