import type { Address } from './address.ts'

/** The periods of SENTINEL DEBUG, in milliseconds. Defaults of Redis 7.0.15. */
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
 * One primary in a Sentinel's configuration file: the operator's settings, then the learned state.
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

/** Settings that can be changed at run time with SENTINEL CONFIG SET. */
export interface Settings {
  /**
   * The host that hello messages announce; if empty, they announce the local address of their
   * connection.
   */
  announceIp: string
  /**
   * The port that hello messages announce; if 0, they announce the port on which the Sentinel
   * listens.
   */
  announcePort: number
  /** True if host names are accepted in addition to IP addresses. Names are not resolved. */
  resolveHostnames: boolean
  announceHostnames: boolean
  /** Credentials for other Sentinels. If the password is empty, `requirepass` is used. */
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
  /** Empty if no password is required. */
  readonly requirepass?: string
  /**
   * 40 hex digits, drawn at the first start. Two Sentinels with the same id ignore each other, as
   * in real Redis.
   */
  readonly myId?: string
  readonly currentEpoch?: number
  readonly periods?: Partial<Periods>
  readonly monitors: readonly MonitorConfig[]
}
