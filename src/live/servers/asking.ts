/** Polls servers that are starting. */
import { Redis } from 'ioredis'
import { LiveProblem } from '../environment/problem.ts'
import type { ServerMachine } from './live-server.ts'

const longestMs = 15_000

/**
 * Polls until `look` returns true.
 * @throws LiveProblem on timeout
 */
export async function eventually(
  look: () => Promise<boolean>,
  whose: string,
  otherwise: string,
  timeoutMs = longestMs,
): Promise<void> {
  for (const until = performance.now() + timeoutMs; performance.now() < until; ) {
    if (await look()) return
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  throw new LiveProblem(whose, `${otherwise} within ${timeoutMs} ms; try again on an idle machine`)
}

/** Asks a server; false if it does not answer. */
export async function asked(
  { host, port }: ServerMachine,
  question: (client: Redis) => Promise<boolean>,
): Promise<boolean> {
  const client = new Redis({ host, port, maxRetriesPerRequest: 1 })
  client.on('error', () => {})
  try {
    return await question(client)
  } catch {
    return false
  } finally {
    client.disconnect()
  }
}

/**
 * Waits for all starts even if one fails. Otherwise a server that starts after the cleanup would
 * stay.
 */
export async function allStarted<T>(starting: readonly Promise<T>[]): Promise<T[]> {
  await Promise.allSettled(starting)
  return Promise.all(starting)
}
