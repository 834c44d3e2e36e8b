import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isFree, reservePort } from '../free-port.ts'
import { RealConnection } from './connection.ts'
import { encodeCommand } from './encode-command.ts'
import { RedisServers } from './servers.ts'

/** a, b and c are primaries; a1, b1 and c1 are their replicas. */
export const clusterNames = ['a', 'a1', 'b', 'b1', 'c', 'c1'] as const
export type ClusterName = (typeof clusterNames)[number]

export const clusterTimeoutMs = 1000

/** The node's address. All of 127.0.0.0/8 belongs to this machine. */
export function clusterHost(name: ClusterName): string {
  return `127.0.1.${clusterNames.indexOf(name) + 1}`
}

export interface ClusterSeat {
  readonly id: string
  readonly host: string
  readonly configEpoch: number
  /** The id of the node's primary; null for a primary. */
  readonly primary: string | null
  readonly slots: readonly (readonly [from: number, to: number])[]
}

/** The nodes know each other from their first start, so no CLUSTER MEET is needed. */
export const clusterSeats: readonly ClusterSeat[] = clusterNames.map((name, at) => {
  const shard = Math.floor(at / 2)
  const leads = at % 2 === 0
  const from = Math.floor((shard * 16384) / 3)
  const to = Math.floor(((shard + 1) * 16384) / 3) - 1
  return {
    id: clusterId(name),
    host: clusterHost(name),
    configEpoch: leads ? shard + 1 : 0,
    primary: leads ? null : clusterId(clusterNames[at - 1]!),
    slots: leads ? [[from, to]] : [],
  }
})

export function clusterId(name: ClusterName): string {
  return name.padEnd(2, '0').repeat(20)
}

/** A real Redis Cluster of three primaries with one replica each. */
export class RealCluster {
  private readonly folder = mkdtempSync(join(tmpdir(), 'onceproof-cluster-'))
  private readonly servers: RedisServers<ClusterName>

  private constructor(
    program: string,
    readonly port: number,
  ) {
    this.servers = new RedisServers(program)
  }

  static async start(program: string): Promise<RealCluster> {
    const cluster = new RealCluster(program, await clusterPort())
    try {
      for (const name of clusterNames) {
        mkdirSync(cluster.folderOf(name))
        writeFileSync(join(cluster.folderOf(name), 'nodes.conf'), nodesConf(name, cluster.port))
      }
      const started = await Promise.allSettled(clusterNames.map((name) => cluster.revive(name)))
      const failed = started.find((one) => one.status === 'rejected')
      if (failed !== undefined) throw failed.reason
      return cluster
    } catch (error) {
      await cluster.stop()
      throw error
    }
  }

  /** Starts a dead node with its saved state. */
  async revive(name: ClusterName): Promise<void> {
    const host = clusterHost(name)
    const options = {
      'bind-source-addr': host,
      'cluster-enabled': 'yes',
      'cluster-config-file': 'nodes.conf',
      'cluster-announce-ip': host,
      'cluster-node-timeout': String(clusterTimeoutMs),
      'repl-diskless-sync-delay': '0',
      'protected-mode': 'no',
    }
    const words = Object.entries(options).flatMap(([option, value]) => [`--${option}`, value])
    await this.servers.start(name, words, { host, port: this.port, folder: this.folderOf(name) })
  }

  /** Sends the commands on one connection. Returns the bytes of one reply for each. */
  async ask(name: ClusterName, ...commands: readonly (readonly string[])[]): Promise<string> {
    const connection = await RealConnection.open(clusterHost(name), this.port)
    const bytes = await connection.exchange(commands.map(encodeCommand).join(''), commands.length)
    connection.destroy()
    return bytes
  }

  kill(name: ClusterName): Promise<void> {
    return this.servers.of(name).kill()
  }

  async pause(name: ClusterName): Promise<void> {
    this.servers.of(name).pause()
  }

  async resume(name: ClusterName): Promise<void> {
    this.servers.of(name).resume()
  }

  /**
   * Stops all nodes.
   * @throws ServerGone if a node had ended by itself
   */
  async stop(): Promise<void> {
    try {
      await this.servers.stop()
    } finally {
      rmSync(this.folder, { recursive: true, force: true })
    }
  }

  private folderOf(name: ClusterName): string {
    return join(this.folder, name)
  }
}

function nodesConf(own: ClusterName, port: number): string {
  const lines = clusterSeats.map(({ id, host, primary, configEpoch, slots }) => {
    const flags = `${id === clusterId(own) ? 'myself,' : ''}${primary === null ? 'master' : 'slave'}`
    const served = slots.map(([from, to]) => ` ${from}-${to}`).join('')
    return `${id} ${host}:${port}@${port + 10_000} ${flags} ${primary ?? '-'} 0 0 ${configEpoch} connected${served}`
  })
  return `${lines.join('\n')}\nvars currentEpoch 3 lastVoteEpoch 0\n`
}

/** Ports that are below the ephemeral ports, even after the cluster bus has added 10,000. */
const clusterPorts = { from: 21_000, below: 22_700 }

/** A port that is free on the addresses of all nodes, for clients and for the cluster bus. */
function clusterPort(): Promise<number> {
  return reservePort(clusterPorts, async (port) => {
    const free = await Promise.all(
      clusterNames.flatMap((name) => [isFree(port, clusterHost(name)), isFree(port + 10_000, clusterHost(name))]),
    )
    return free.every((one) => one)
  })
}
