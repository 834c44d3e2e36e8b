/** The environment of live runs: servers, their proxies and the settings of consumers. */
import type { RedisPlan } from '../../contract/api/plan.ts'
import type { Shape, StoreKind } from '../../contract/api/store.ts'
import type { LiveCluster } from '../cluster/live-cluster.ts'
import type { HeldDeployment, HeldWish } from '../held/held-deployment.ts'
import type { PostgresMachine, PostgresSettings } from '../postgres/postgres-machine.ts'
import type { LinkProxy } from '../proxy/link-proxy.ts'
import type { Power, ServerMachine } from '../servers/live-server.ts'
import type { SentinelDeployment } from '../servers/sentinel-deployment.ts'

/** The stores that a layer asks for, with their settings in the plan. */
export interface StoreWish {
  readonly stores: readonly StoreKind[]
  /** For a Cluster: its nodes and their timeout. For independent servers: how many. */
  readonly redis?: RedisPlan | undefined
  readonly postgres: PostgresSettings
}

/** The servers of one run. Servers that we start are new for each run. */
export interface Servers {
  /** Null if the layer asks for no Redis. */
  readonly machine: ServerMachine | null
  /** Set if the layer asks for PostgreSQL. */
  readonly postgres?: PostgresMachine
  /** Set if Sentinels watch several servers; `machine` is their first primary. */
  readonly sentinels?: SentinelDeployment
  /** Set for a Cluster; `machine` is its first node. */
  readonly cluster?: LiveCluster
  /** Servers that do not know each other; `machine` is the first. */
  readonly independent?: readonly ServerMachine[]
  /** Sentinel or Cluster servers of a scheduled run. They do nothing on their own. */
  readonly held?: HeldDeployment
  /** When it resolves, they and their data are gone. */
  close(): Promise<void>
}

export interface LiveEnvironment {
  /** `local: Redis 7.0.15, built-in proxy`. */
  readonly about: string
  /** The proxy before the servers. */
  readonly redisProxy: LinkProxy
  /** The proxy before the sink, which is a service of this machine. */
  readonly sinkProxy: LinkProxy
  /**
   * Whether a connection that a server or proxy ends has also ended for the consumer within one
   * turn of this process's event loop.
   */
  readonly endsInTurn: boolean
  /** The deployments that it can start. A server named by the user has one shape. */
  readonly shapes: readonly Shape[]
  /** Why its servers do not allow that; null if they do. */
  refuses(power: Power, of: 'redis' | 'postgres'): string | null
  /**
   * The prefix of this run's keys on a server named by the user; null for our servers, which hold
   * nothing else.
   */
  readonly keyPrefix: string | null
  /** Starts the stores that the layer asks for. @throws LiveProblem */
  startServers(shape: Shape, wish: StoreWish): Promise<Servers>
  /**
   * Starts several servers that follow a schedule; null if that is impossible. @throws LiveProblem
   */
  readonly startHeld: ((wish: HeldWish) => Promise<Servers>) | null
  close(): Promise<void>
}
