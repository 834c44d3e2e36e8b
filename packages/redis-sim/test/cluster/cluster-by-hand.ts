/** A simulated Cluster on an in-memory network. Each shard has one primary and its replicas. */
import { Lab, LabMachine } from '../../fidelity/sentinel/lab.ts'
import type { Cluster } from '../../src/cluster/cluster.ts'
import type { NodesFile } from '../../src/cluster/nodes-file.ts'
import type { RedisConfig } from '../../src/config.ts'
import { RedisServer } from '../../src/server.ts'
import { ClientByHand } from '../server-by-hand.ts'

interface Options {
  readonly shards?: number
  readonly replicas?: number
  readonly config?: Partial<RedisConfig>
}

/**
 * Lists each shard with its primary first. `a` is the primary of the first shard, `a1` its first
 * replica.
 */
export class ClusterByHand {
  readonly lab = new Lab()
  readonly machines = new Map<string, LabMachine>()
  private readonly saved = new Map<string, NodesFile>()

  constructor({ shards = 3, replicas = 1, config = {} }: Options = {}) {
    const files = nodesFiles(shards, replicas)
    for (const [name, file] of files) {
      const { host } = file.nodes.find(({ id }) => id === file.myId)!
      const settings = { clusterEnabled: true, clusterNodeTimeout: 1000, replDisklessSyncDelay: 0, ...config }
      const start = (machine: LabMachine) => new RedisServer(machine, settings, { nodes: this.saved.get(name) ?? file })
      this.machines.set(name, new LabMachine(this.lab, host, start))
    }
  }

  static settled(options: Options = {}): ClusterByHand {
    const cluster = new ClusterByHand(options)
    cluster.lab.pass(3000)
    return cluster
  }

  machine(name: string): LabMachine {
    return this.machines.get(name)!
  }

  cluster(name: string): Cluster {
    return this.machine(name).server!.cluster!
  }

  die(name: string): void {
    this.saved.set(name, this.cluster(name).saved)
    this.machine(name).die()
  }

  revive(name: string): void {
    this.machine(name).revive()
  }

  /** Cuts these nodes off from all others. */
  isolate(...names: string[]): void {
    const ones = names.map((name) => this.machine(name))
    this.lab.cut(
      ones,
      [...this.machines.values()].filter((machine) => !ones.includes(machine)),
    )
  }

  client(name: string): ClientByHand {
    return new ClientByHand(this.machine(name).server!)
  }

  run(name: string, words: string): string {
    return this.client(name).run(words)
  }

  isPrimary(name: string): boolean {
    return this.machine(name).server?.replication.role === 'master'
  }

  state(name: string): 'ok' | 'fail' {
    return this.cluster(name).state
  }
}

function nodesFiles(shards: number, replicas: number): Map<string, NodesFile> {
  const nodes = new Map<string, NodesFile['nodes'][number]>()
  for (let shard = 0; shard < shards; shard++) {
    for (let at = 0; at <= replicas; at++) {
      const letter = 'abcdef'[shard]!
      const id = `${letter}${at}`.repeat(20)
      const [from, end] = [shard, shard + 1].map((which) => Math.floor((which * 16384) / shards)) as [number, number]
      nodes.set(at === 0 ? letter : `${letter}${at}`, {
        id,
        host: `10.0.${shard}.${at + 1}`,
        port: 6379,
        configEpoch: at === 0 ? shard + 1 : 0,
        primary: at === 0 ? null : `${letter}0`.repeat(20),
        slots: at === 0 ? [[from, end - 1]] : [],
      })
    }
  }
  const all = [...nodes.values()]
  const fileOf = (myId: string): NodesFile => ({ myId, currentEpoch: shards, lastVoteEpoch: 0, nodes: all })
  return new Map([...nodes].map(([name, { id }]) => [name, fileOf(id)]))
}
