/** Where live runs take place: the servers, the proxies before them, and how consumers are run. */
import type { Toxiproxy } from 'toxiproxy-node-client'
import type { Machine, Power } from './servers/live-server.ts'
import type { SentinelBench } from './servers/sentinel-bench.ts'

export type LiveShape = 'single' | 'sentinel'

/** A proxy that is driven by Toxiproxy's HTTP API, and where its listeners are. */
export interface ProxySide {
  readonly about: string
  readonly toxiproxy: Toxiproxy
  /** Where the next proxy is to listen; its port is one of this machine. */
  listen(): string
  /** What toxics draw in the run to come; absent where the proxy has chance of its own. */
  readonly drawFrom?: (seed: number) => void
}

/** The servers of one run; new ones for each, where they are ours. */
export interface Servers {
  readonly machine: Machine
  /** Where Sentinels watch several servers, of which `machine` is the first primary. */
  readonly bench?: SentinelBench
  /** Gone, with what was on them, when it resolves. */
  close(): Promise<void>
}

export interface Stage {
  /** `local: redis-server 7.0.15, built-in proxy`. */
  readonly about: string
  /** Before the servers. */
  readonly redisProxy: ProxySide
  /** Before the sink, which is a service of this machine. */
  readonly sinkProxy: ProxySide
  /** Deployments that it can start; a server that is named is one. */
  readonly shapes: readonly LiveShape[]
  /** Why its servers do not let that happen; null where they do. */
  refuses(power: Power): string | null
  /** A server of ours holds nothing else; on a named one, keys are this run's by their prefix. */
  readonly keyPrefix: string | null
  /** @throws LiveProblem */
  startServers(shape: LiveShape): Promise<Servers>
  close(): Promise<void>
}
