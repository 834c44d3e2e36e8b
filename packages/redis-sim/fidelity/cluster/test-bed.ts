/**
 * The Cluster of the comparison: three primaries with one replica each. Real and simulated nodes
 * have the same names, addresses and ids.
 */
import { type ClusterName, clusterId, clusterSeats } from 'test-servers'
import type { NodesFile } from '../../src/cluster/nodes-file.ts'

export interface ClusterTestBed {
  nowMs(): number
  /** The value of `nowMs` just before the first node started. */
  readonly launchedMs: number
  wait(ms: number): Promise<void>
  /**
   * On the simulated side, waits for a fraction of a second that depends on the seed, so that the
   * next action falls at a random moment between two ticks of a node. On the real side, does
   * nothing, because the moment is random anyway.
   */
  dawdle(): Promise<void>
  /** Sends the commands on one connection; returns the bytes of their replies. */
  ask(node: ClusterName, ...commands: readonly (readonly string[])[]): Promise<string>
  /** Kills the process with SIGKILL. */
  kill(node: ClusterName): Promise<void>
  revive(node: ClusterName): Promise<void>
  /** Stops the process with SIGSTOP; `resume` continues it with SIGCONT. */
  pause(node: ClusterName): Promise<void>
  resume(node: ClusterName): Promise<void>
  /** @throws ServerGone if a real server has ended by itself */
  stop(): Promise<void>
}

/** The initial state of a simulated node. */
export function nodesFile(name: ClusterName, port: number): NodesFile {
  const nodes = clusterSeats.map((seat) => ({ ...seat, port }))
  return { myId: clusterId(name), currentEpoch: 3, lastVoteEpoch: 0, nodes }
}
