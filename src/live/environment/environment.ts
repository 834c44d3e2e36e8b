/** The environment of live runs: servers, their proxies and the settings of consumers. */
import type { RedisPlan } from '../../contract/api/plan.ts'
import type { Shape, StoreKind } from '../../contract/api/store.ts'
import type { LiveCluster } from '../cluster/live-cluster.ts'
import type { HeldDeployment, HeldWish } from '../held/held-deployment.ts'
import type { PostgresMachine, PostgresSettings } from '../postgres/postgres-machine.ts'
import type { LinkProxy } from '../proxy/link-proxy.ts'
import type { Power, ServerMachine } from '../servers/live-server.ts'
import type { SentinelDeployment } from '../servers/sentinel-deployment.ts'

/** The stores that a layer requests, with their settings in the plan. */
export interface StoreWish {
  readonly stores: readonly StoreKind[]
  /** For a Cluster, its nodes and their timeout. For independent servers, their number. */
  readonly redis?: RedisPlan | undefined
  readonly postgres: PostgresSettings
}

/** The servers of one run. Servers that the harness starts are new for each run. */
export interface Servers {
  /** The Redis server; null if the layer requests no Redis. */
  readonly machine: ServerMachine | null
  /** Set if the layer requests PostgreSQL. */
  readonly postgres?: PostgresMachine
  /** Set if Sentinels watch several servers; `machine` is their first primary. */
  readonly sentinels?: SentinelDeployment
  /** Set for a Cluster; `machine` is its first node. */
  readonly cluster?: LiveCluster
  /** Set for servers that do not know each other; `machine` is the first of them. */
  readonly independent?: readonly ServerMachine[]
  /** The Sentinel or Cluster servers of a scheduled run, which do nothing by themselves. */
  readonly held?: HeldDeployment
  /** Removes the servers and their data. Resolves when they are gone. */
  close(): Promise<void>
}

export interface LiveEnvironment {
  /** The environment as text, such as `local: Redis 7.0.15, built-in proxy`. */
  readonly about: string
  /** The proxy in front of the servers. */
  readonly redisProxy: LinkProxy
  /** The proxy in front of the sink, which is a service of this machine. */
  readonly sinkProxy: LinkProxy
  /**
   * True if the end of a connection by a server or proxy reaches the consumer within one turn of
   * this process's event loop.
   */
  readonly endsInTurn: boolean
  /** The deployments that the environment can start. A server that the user names has one shape. */
  readonly shapes: readonly Shape[]
  /** Why the servers do not allow the power; null if they allow it. */
  refuses(power: Power, of: 'redis' | 'postgres'): string | null
  /**
   * The prefix of this run's keys on a server that the user names; null for the harness's servers,
   * which have no other keys.
   */
  readonly keyPrefix: string | null
  /**
   * Starts the stores that the layer requests.
   * @throws LiveProblem
   */
  startServers(shape: Shape, wish: StoreWish): Promise<Servers>
  /**
   * Starts several servers that follow a schedule; null if the environment cannot do that.
   * @throws LiveProblem
   */
  readonly startHeld: ((wish: HeldWish) => Promise<Servers>) | null
  close(): Promise<void>
}
