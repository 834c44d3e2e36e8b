import type { Address } from './address.ts'

/** What SENTINEL DEBUG shows and sets, in milliseconds; defaults of Redis 7.0.15. */
export interface Periods {
  infoMs: number
  pingMs: number
  askMs: number
  publishMs: number
  defaultDownAfterMs: number
  defaultFailoverTimeoutMs: number
  tiltTriggerMs: number
  tiltMs: number
  replicaReconfMs: number
  minLinkReconnectMs: number
  electionMs: number
  scriptMaxRuntimeMs: number
  scriptRetryDelayMs: number
}

export const defaultPeriods: Readonly<Periods> = {
  infoMs: 10_000,
  pingMs: 1000,
  askMs: 1000,
  publishMs: 2000,
  defaultDownAfterMs: 30_000,
  defaultFailoverTimeoutMs: 180_000,
  tiltTriggerMs: 2000,
  tiltMs: 30_000,
  replicaReconfMs: 10_000,
  minLinkReconnectMs: 15_000,
  electionMs: 10_000,
  scriptMaxRuntimeMs: 60_000,
  scriptRetryDelayMs: 30_000,
}

/**
 * What a Sentinel's configuration file says of one primary: what its operator wrote, then what it
 * learned.
 */
export interface MonitorConfig extends Address {
  readonly name: string
  readonly quorum: number
  readonly downAfterMs?: number
  readonly failoverTimeoutMs?: number
  readonly parallelSyncs?: number
  readonly masterRebootDownAfterMs?: number
  readonly authPass?: string
  readonly authUser?: string
  readonly configEpoch?: number
  readonly leaderEpoch?: number
  readonly knownReplicas?: readonly Address[]
  readonly knownSentinels?: readonly (Address & { readonly runId: string })[]
}

/** What Sentinels may be told of themselves at run time, too (SENTINEL CONFIG SET). */
export interface Settings {
  /** Empty: the local address of the connection on which it says hello. */
  announceIp: string
  /** 0: the port on which it listens. */
  announcePort: number
  /** Names are accepted beside IP addresses. They are never resolved. */
  resolveHostnames: boolean
  announceHostnames: boolean
  /** For other Sentinels; with an empty password its own `requirepass` is used. */
  sentinelUser: string
  sentinelPass: string
}

export const defaultSettings: Readonly<Settings> = {
  announceIp: '',
  announcePort: 0,
  resolveHostnames: false,
  announceHostnames: false,
  sentinelUser: '',
  sentinelPass: '',
}

/** A Sentinel's configuration file. */
export interface SentinelConfig extends Partial<Settings> {
  readonly port?: number
  /** Empty: no password. */
  readonly requirepass?: string
  /**
   * 40 hex digits; drawn at the first start. Two Sentinels with one id ignore each other, as real
   * ones do.
   */
  readonly myId?: string
  readonly currentEpoch?: number
  readonly periods?: Partial<Periods>
  readonly monitors: readonly MonitorConfig[]
}
