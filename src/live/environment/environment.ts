/** Where live runs take place: the servers, the proxies before them, and how consumers are run. */
import type { RedisPlan } from '../../contract/api/plan.ts'
import type { Shape, StoreKind } from '../../contract/api/store.ts'
import type { LiveCluster } from '../cluster/live-cluster.ts'
import type { HeldDeployment, HeldWish } from '../held/held-deployment.ts'
import type { PostgresMachine, PostgresSettings } from '../postgres/postgres-machine.ts'
import type { LinkProxy } from '../proxy/link-proxy.ts'
import type { Power, ServerMachine } from '../servers/live-server.ts'
import type { SentinelDeployment } from '../servers/sentinel-deployment.ts'

/** The stores that a layer asks for, and what the plan wants of them. */
export interface StoreWish {
  readonly stores: readonly StoreKind[]
  /** Of a Cluster: its nodes, and how soon they miss each other. If independent: how many. */
  readonly redis?: RedisPlan | undefined
  readonly postgres: PostgresSettings
}

/** The servers of one run; new ones for each, where they are ours. */
export interface Servers {
  /** Null where the layer asks for no Redis. */
  readonly machine: ServerMachine | null
  /** Where the layer asks for PostgreSQL. */
  readonly postgres?: PostgresMachine
  /** Where Sentinels watch several servers, of which `machine` is the first primary. */
  readonly sentinels?: SentinelDeployment
  /** Where they are the nodes of a Cluster, of which `machine` is the first. */
  readonly cluster?: LiveCluster
  /** Servers that know nothing of each other, of which `machine` is the first. */
  readonly independent?: readonly ServerMachine[]
  /**
   * Several servers of either sort, where the run follows a schedule: they do nothing by
   * themselves.
   */
  readonly held?: HeldDeployment
  /** Gone, with what was on them, when it resolves. */
  close(): Promise<void>
}

export interface LiveEnvironment {
  /** `local: Redis 7.0.15, built-in proxy`. */
  readonly about: string
  /** Before the servers. */
  readonly redisProxy: LinkProxy
  /** Before the sink, which is a service of this machine. */
  readonly sinkProxy: LinkProxy
  /**
   * Whether a connection that a server or proxy ends has ended for the consumer, too, once this
   * process has had a turn.
   */
  readonly endsInTurn: boolean
  /** Deployments that it can start; a server that is named is one. */
  readonly shapes: readonly Shape[]
  /** Why its servers do not let that happen; null where they do. */
  refuses(power: Power, of: 'redis' | 'postgres'): string | null
  /** A server of ours holds nothing else; on a named one, keys are this run's by their prefix. */
  readonly keyPrefix: string | null
  /** Those of the stores that the layer asks for. @throws LiveProblem */
  startServers(shape: Shape, wish: StoreWish): Promise<Servers>
  /** Several servers that keep to a schedule; null where they cannot. @throws LiveProblem */
  readonly startHeld: ((wish: HeldWish) => Promise<Servers>) | null
  close(): Promise<void>
}
