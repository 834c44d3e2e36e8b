/** One primary, its replicas and the Sentinels that monitor them, on an in-memory network. */
import { Lab, LabMachine } from '../../fidelity/sentinel/lab.ts'
import type { MonitorConfig, SentinelConfig } from '../../src/sentinel/config.ts'
import { Sentinel } from '../../src/sentinel/sentinel.ts'
import { RedisServer } from '../../src/server.ts'
import { ClientByHand } from '../server-by-hand.ts'
import { StandIn } from './stand-in.ts'

export interface Heard {
  readonly atMs: number
  readonly by: string
  readonly type: string
  readonly message: string
}

export interface DeploymentOptions {
  readonly replicas?: number
  readonly sentinels?: number
  readonly monitor?: Partial<MonitorConfig>
  readonly config?: Partial<SentinelConfig>
  /** True to use stand-ins, whose INFO a test sets, instead of servers that replicate. */
  readonly standIns?: boolean
}

export const primaryHost = '10.0.0.1'

export class Deployment {
  readonly lab = new Lab()
  readonly servers: LabMachine[]
  readonly sentinels: LabMachine[]
  readonly heard: Heard[] = []

  constructor(private readonly options: DeploymentOptions = {}) {
    const { replicas = 2, sentinels = 3 } = options
    this.servers = Array.from({ length: replicas + 1 }, (_, at) => {
      return new LabMachine(this.lab, `10.0.0.${at + 1}`, (machine) => this.serverOn(machine, at > 0))
    })
    this.sentinels = Array.from({ length: sentinels }, (_, at) => this.addSentinel(`10.0.1.${at + 1}`))
  }

  /** A deployment whose Sentinels have discovered all instances. */
  static settled(options: DeploymentOptions = {}): Deployment {
    const deployment = new Deployment(options)
    deployment.lab.pass(13_000)
    deployment.heard.length = 0
    return deployment
  }

  private serverOn(machine: LabMachine, follows: boolean): RedisServer {
    if (this.options.standIns) return new StandIn(machine, follows ? primaryHost : null)
    return new RedisServer(machine, { replicaof: follows ? `${primaryHost} 6379` : '', replDisklessSyncDelay: 0 })
  }

  addSentinel(host: string, config: Partial<SentinelConfig> = {}): LabMachine {
    return new LabMachine(this.lab, host, (machine) => this.sentinelOn(machine, config))
  }

  /**
   * Starts a Sentinel. `config` is added to the configuration that all Sentinels of the deployment
   * share.
   */
  sentinelOn(machine: LabMachine, config: Partial<SentinelConfig> = {}): Sentinel {
    const monitor = { name: 'mymaster', host: primaryHost, port: 6379, quorum: 2 }
    const times = { downAfterMs: 1000, failoverTimeoutMs: 10_000 }
    const monitors = [{ ...monitor, ...times, ...this.options.monitor }]
    const hear = (type: string, message: string) =>
      this.heard.push({ atMs: this.lab.nowMs, by: machine.host, type, message })
    return new Sentinel(machine, { monitors, ...this.options.config, ...config }, hear)
  }

  sentinel(at: number): Sentinel {
    return this.sentinels[at]!.server as Sentinel
  }

  standIn(at: number): StandIn {
    return this.servers[at]!.server as StandIn
  }

  server(at: number): RedisServer {
    return this.servers[at]!.server!
  }

  /** The host that a server reports as its primary; null for a primary. */
  follows(at: number): string | null {
    return /slave\r\n\$\d+\r\n([\d.]+)/.exec(new ClientByHand(this.server(at)).run('role'))?.[1] ?? null
  }

  /** The messages of all events of a type, from one Sentinel or from all Sentinels. */
  events(type: string, by?: number): string[] {
    return this.heardOf(type, by).map(({ message }) => message)
  }

  heardOf(type: string, by?: number): Heard[] {
    const host = by === undefined ? undefined : this.sentinels[by]!.host
    return this.heard.filter((one) => one.type === type && (host === undefined || one.by === host))
  }

  /** The primary according to each running Sentinel. */
  primaries(): (string | undefined)[] {
    return this.sentinels.flatMap(({ server }) =>
      server === null ? [] : [(server as Sentinel).primary('mymaster')?.host],
    )
  }

  /** Lets time pass until every running Sentinel reports that primary. */
  untilPrimaryIs(host: string, withinMs = 20_000): number {
    return this.lab.until(() => this.primaries().every((one) => one === host), withinMs)
  }

  untilHeard(type: string, withinMs = 20_000): number {
    return this.lab.until(() => this.heard.some((one) => one.type === type), withinMs)
  }

  /** Sends a command to a Sentinel and returns the reply. */
  ask(at: number, words: string): string {
    return new ClientByHand(this.sentinel(at)).run(words)
  }
}
