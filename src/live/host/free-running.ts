import { ClusterServers } from '../cluster/cluster-servers.ts'
import { SentinelServers } from '../stores/sentinel-servers.ts'
import type { SeveralServers } from '../stores/several-servers.ts'
import { Gates } from './gates.ts'
import { RunParts } from './run-parts.ts'

export interface FreeRunning {
  readonly kind: 'free-running'
  readonly parts: RunParts
}

/** A run in real time, whose servers act by themselves. */
export function freeRunning(...given: ConstructorParameters<typeof RunParts>): FreeRunning {
  const parts = new RunParts(...given)
  const { failed, recorder, request, timers } = parts
  parts.openStores({ time: timers, several: () => leftAlone(parts), stopped: () => {} })
  const { liveLinks, evidence, sites } = parts
  const began = Date.now()
  parts.createRunner({
    gates: new Gates({
      runner: () => parts.runner,
      recorder,
      evidence,
      linkOf: (slot, port) => parts.linkBehind(slot, port)[1],
      isUp: (slot, port) => sites.get(parts.linkBehind(slot, port)[0])?.port.primary.up ?? true,
      failed,
    }),
    pace: {
      nowUs: () => timers.nowUs(),
      after: (delayUs, work) => timers.after(delayUs / 1000, work),
      chance: (stream, what, n) => request.chance(stream, what, n),
      links: liveLinks,
    },
    epochMs: () => began,
    timeOf: null,
    scheduled: { ownTimers: null, rest: null },
  })
  return { kind: 'free-running', parts }
}

function leftAlone(parts: RunParts): SeveralServers | null {
  const { failed, recorder } = parts
  const { sentinels, cluster } = parts.servers
  if (sentinels !== undefined) return new SentinelServers(sentinels, recorder)
  if (cluster === undefined) return null
  return new ClusterServers(cluster, {
    recorder,
    expired: (node, key) => parts.expired(node, key),
    cutConsumers: (nodes, on) => parts.liveLinks.cutOff(nodes, on),
    failed,
  })
}
