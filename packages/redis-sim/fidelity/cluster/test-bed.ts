/**
 * Three primaries with a replica each, real or simulated, under the same names, addresses and ids.
 */
import { type ClusterName, clusterId, clusterSeats } from 'test-servers'
import type { NodesFile } from '../../src/cluster/nodes-file.ts'

export interface ClusterTestBed {
  nowMs(): number
  /** Before the first node was started. */
  readonly launchedMs: number
  wait(ms: number): Promise<void>
  /**
   * Lets pass what real time lets pass anyway: no two runs act at the same moment of a node's
   * second.
   */
  dawdle(): Promise<void>
  /** One reply for each command, on one connection: the bytes. */
  ask(node: ClusterName, ...commands: readonly (readonly string[])[]): Promise<string>
  /** kill -9. */
  kill(node: ClusterName): Promise<void>
  revive(node: ClusterName): Promise<void>
  /** SIGSTOP and SIGCONT. */
  pause(node: ClusterName): Promise<void>
  resume(node: ClusterName): Promise<void>
  /** @throws ServerGone if a real server had ended by itself */
  stop(): Promise<void>
}

/** The state in which a simulated node begins. */
export function nodesFile(name: ClusterName, port: number): NodesFile {
  const nodes = clusterSeats.map((seat) => ({ ...seat, port }))
  return { myId: clusterId(name), currentEpoch: 3, lastVoteEpoch: 0, nodes }
}
