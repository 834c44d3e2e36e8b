/** Three primaries with a replica each, real or simulated, under the same names, addresses and ids. */
import type { NodesFile, SavedNode } from '../../src/sim/redis/cluster/nodes-file.ts'

/** a, b and c: the primaries; a1, b1 and c1: their replicas. */
export const nodeNames = ['a', 'a1', 'b', 'b1', 'c', 'c1'] as const
export type NodeName = (typeof nodeNames)[number]

export interface ClusterTestBed {
  nowMs(): number
  /** Before the first node was started. */
  readonly launchedMs: number
  wait(ms: number): Promise<void>
  /** Lets pass what real time lets pass anyway: no two runs act at the same moment of a node's second. */
  dawdle(): Promise<void>
  /** One reply for each command, on one connection: the bytes. */
  ask(node: NodeName, ...commands: readonly (readonly string[])[]): Promise<string>
  /** kill -9. */
  kill(node: NodeName): Promise<void>
  revive(node: NodeName): Promise<void>
  /** SIGSTOP and SIGCONT. */
  pause(node: NodeName): Promise<void>
  resume(node: NodeName): Promise<void>
  /** @throws ServerGone where a real server had ended by itself */
  stop(): Promise<void>
}

export const nodeTimeoutMs = 1000

/** All of 127.0.0.0/8 is this machine. */
export function hostOf(name: NodeName): string {
  return `127.0.1.${nodeNames.indexOf(name) + 1}`
}

/** What a node is told before its first start: a cluster need not come together. */
export function nodesFile(name: NodeName, port: number): NodesFile {
  const nodes = nodeNames.map((other, at): SavedNode => {
    const shard = Math.floor(at / 2)
    const leads = at % 2 === 0
    const from = Math.floor((shard * 16384) / 3)
    const to = Math.floor(((shard + 1) * 16384) / 3) - 1
    return {
      id: idOf(other),
      host: hostOf(other),
      port,
      configEpoch: leads ? shard + 1 : 0,
      primary: leads ? null : idOf(nodeNames[at - 1]!),
      slots: leads ? [[from, to]] : [],
    }
  })
  return { myId: idOf(name), currentEpoch: 3, lastVoteEpoch: 0, nodes }
}

function idOf(name: NodeName): string {
  return name.padEnd(2, '0').repeat(20)
}

/** The same as a real node reads it. */
export function nodesConf({ myId, currentEpoch, lastVoteEpoch, nodes }: NodesFile): string {
  const lines = nodes.map(({ id, host, port, primary, configEpoch, slots }) => {
    const flags = `${id === myId ? 'myself,' : ''}${primary === null ? 'master' : 'slave'}`
    const served = slots.map(([from, to]) => ` ${from}-${to}`).join('')
    return `${id} ${host}:${port}@${port + 10_000} ${flags} ${primary ?? '-'} 0 0 ${configEpoch} connected${served}`
  })
  return `${lines.join('\n')}\nvars currentEpoch ${currentEpoch} lastVoteEpoch ${lastVoteEpoch}\n`
}
