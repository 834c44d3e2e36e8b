import { assert } from 'virtual-node/assert'
import type { StorePort } from '../../run/ports.ts'
import type { LiveServer } from '../servers/live-server.ts'
import type { SeveralDeployment, SeveralServers } from './several-servers.ts'

/**
 * The Redis servers of a live run. If there are several, `server` is the first of them, and `store`
 * covers all.
 */
export type Topology =
  | { readonly kind: 'none'; readonly store: StorePort }
  | { readonly kind: 'single'; readonly store: StorePort; readonly server: LiveServer }
  | {
      readonly kind: 'sentinel' | 'cluster' | 'independent'
      readonly store: StorePort
      readonly server: LiveServer
      readonly several: SeveralServers
    }

export function serverOf(topology: Topology): LiveServer {
  assert(topology.kind !== 'none', 'a layer without Redis has no server')
  return topology.server
}

export function severalOf(topology: Topology): SeveralServers | null {
  return 'several' in topology ? topology.several : null
}

export function deploymentOf(topology: Topology): SeveralDeployment | null {
  return severalOf(topology)?.deployment ?? null
}
