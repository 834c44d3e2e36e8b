/**
 * Counts the keys of a live run on each server that accepts writes: after the deployment, and once
 * the run has come to rest.
 */
import type { LiveRecorder } from '../host/recorder.ts'
import { LiveServer, type ServerMachine } from '../servers/live-server.ts'

/** Several servers, of which one is the primary unless they are independent. */
interface Several {
  readonly independent?: readonly LiveServer[]
  primary(): Promise<{ readonly machine: ServerMachine }>
}

/** The maximum number of keys without expiry to name. */
const mostNames = 100

/**
 * Records the number of keys. `deployed`: keys without expiry that are not counted, because they
 * existed before any message.
 */
export async function recordKeyCount(
  recorder: LiveRecorder,
  first: LiveServer,
  sentinels: Several | null,
  deployed: ReadonlySet<string>,
): Promise<void> {
  const { keys, withoutExpiry } = await countOnPrimary(first, sentinels)
  const left = withoutExpiry.filter((name) => !deployed.has(name))
  const namesWithoutExpiry = left.slice(0, mostNames)
  const unseen = left.length > 0 ? ({ maySweep: 'live' } as const) : {}
  recorder.fact({ type: 'keys-counted', keys, withoutExpiry: left.length, namesWithoutExpiry, ...unseen })
}

/** The names of the keys without expiry that the deployment created. */
export async function keysDeployed(first: LiveServer, sentinels: Several | null): Promise<ReadonlySet<string>> {
  return new Set((await countOnPrimary(first, sentinels)).withoutExpiry)
}

async function countOnPrimary(first: LiveServer, sentinels: Several | null) {
  if (sentinels?.independent !== undefined) return countOnEach(sentinels.independent)
  const primary = await sentinels?.primary()
  if (primary === undefined || primary.machine === first.machine) return first.countKeys()
  const refuses = () => ''
  const server = new LiveServer(primary.machine, refuses, '*', () => {})
  return server.countKeys().finally(() => server.close())
}

/** The counts of all servers, except those that a fault has killed. */
async function countOnEach(servers: readonly LiveServer[]) {
  const counted = await Promise.all(servers.filter(({ up }) => up).map((server) => server.countKeys()))
  return {
    keys: counted.reduce((sum, { keys }) => sum + keys, 0),
    withoutExpiry: counted.flatMap(({ withoutExpiry }) => withoutExpiry),
  }
}
