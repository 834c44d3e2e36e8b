/** The keys that are left when a run has come to rest, on the server that takes writes then. */
import type { LiveRecorder } from './recorder.ts'
import { LiveServer } from './servers/live-server.ts'
import type { SentinelDeployment } from './servers/sentinel-deployment.ts'

/** How many keys without expiry are named. */
const mostNames = 100

export async function recordKeyCount(
  recorder: LiveRecorder,
  first: LiveServer,
  sentinels: SentinelDeployment | null,
): Promise<void> {
  const { keys, withoutExpiry } = await countOnPrimary(first, sentinels)
  const namesWithoutExpiry = withoutExpiry.slice(0, mostNames)
  recorder.fact({ type: 'keys-counted', keys, withoutExpiry: withoutExpiry.length, namesWithoutExpiry })
}

async function countOnPrimary(first: LiveServer, sentinels: SentinelDeployment | null) {
  const primary = await sentinels?.primary()
  if (primary === undefined || primary.machine === first.machine) return first.countKeys()
  const refuses = () => ''
  const server = new LiveServer(primary.machine, refuses, '*', () => {})
  return server.countKeys().finally(() => server.close())
}
