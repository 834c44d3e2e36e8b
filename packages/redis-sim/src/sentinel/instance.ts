import type { InfoReply } from '../info-reply.ts'
import type { Address } from './address.ts'
import { Link } from './link.ts'

/**
 * A watched instance: a primary, a replica or another Sentinel. Times are in milliseconds of the
 * Sentinel's clock; 0 means never.
 */
export abstract class Instance {
  abstract readonly kind: 'master' | 'slave' | 'sentinel'
  runId: string | null = null
  link: Link
  lastPublishedMs: number
  /** True if the instance is subjectively down: it does not answer this Sentinel. */
  sDown = false
  sDownSinceMs = 0
  /**
   * True if SCRIPT KILL was sent to the instance while it was down because of an endless script.
   */
  scriptKillSent = false
  /** True if the instance is no longer watched, so that late replies are ignored. */
  released = false

  constructor(
    readonly name: string,
    public address: Address,
    public downAfterMs: number,
    nowMs: number,
  ) {
    this.link = new Link(nowMs)
    this.lastPublishedMs = nowMs
  }

  release(): void {
    this.released = true
    this.link.release()
  }
}

/** A primary or a replica, which is queried with INFO. */
export abstract class DataServer extends Instance {
  abstract override readonly kind: 'master' | 'slave'
  /** The last INFO of the server. */
  info: InfoReply | null = null
  infoMs = 0
  roleReported: 'master' | 'slave' | null = null
  /** Time since which the server has reported that role. */
  roleReportedMs: number
  /** Time at which the reported primary last changed. */
  followsChangedMs: number
  follows: { host: string | null; port: number } = { host: null, port: 0 }
  linkUp = false
  linkDownMs = 0
  priority = 100
  offset = 0
  announced = true

  constructor(name: string, address: Address, downAfterMs: number, nowMs: number) {
    super(name, address, downAfterMs, nowMs)
    this.roleReportedMs = this.followsChangedMs = nowMs
  }
}

export type FailoverState =
  | 'none'
  | 'wait_start'
  | 'select_slave'
  | 'send_slaveof_noone'
  | 'wait_promotion'
  | 'reconf_slaves'
  | 'update_config'

export class Primary extends DataServer {
  readonly kind = 'master'
  readonly replicas = new Map<string, Replica>()
  /** Other Sentinels that watch the primary, by their ids. */
  readonly sentinels = new Map<string, OtherSentinel>()
  quorum: number
  parallelSyncs = 1
  authPass = ''
  authUser = ''
  configEpoch = 0
  /** True if the primary is objectively down: a quorum of Sentinels agrees. */
  oDown = false
  oDownSinceMs = 0
  masterRebootDownAfterMs = 0
  rebooted = false
  rebootedMs = 0
  /** The candidate and the epoch of this Sentinel's last vote. */
  leader: string | null = null
  leaderEpoch = 0
  failoverInProgress = false
  forceFailover = false
  failoverState: FailoverState = 'none'
  failoverEpoch = 0
  failoverStateMs = 0
  failoverStartMs = 0
  failoverTimeoutMs: number
  promoted: Replica | null = null

  constructor(
    name: string,
    address: Address,
    settings: { quorum: number; downAfterMs: number; failoverTimeoutMs: number },
    nowMs: number,
  ) {
    super(name, address, settings.downAfterMs, nowMs)
    this.roleReported = 'master'
    this.quorum = settings.quorum
    this.failoverTimeoutMs = settings.failoverTimeoutMs
  }

  /** The replicas, then the other Sentinels. */
  *others(): Iterable<Replica | OtherSentinel> {
    yield* this.replicas.values()
    yield* this.sentinels.values()
  }

  override release(): void {
    for (const other of this.others()) other.release()
    super.release()
  }
}

export class Replica extends DataServer {
  readonly kind = 'slave'
  /** True if the replica was chosen to become the primary. */
  isPromoted = false
  /**
   * Progress of the replica's reconfiguration to the new primary. A replica that does not
   * reconfigure in time counts as done, and may receive the command once more.
   */
  reconfSent = false
  reconfInProgress = false
  reconfDone = false
  reconfSentMs = 0

  constructor(
    readonly primary: Primary,
    name: string,
    address: Address,
    nowMs: number,
  ) {
    super(name, address, primary.downAfterMs, nowMs)
    this.roleReported = 'slave'
  }
}

export class OtherSentinel extends Instance {
  readonly kind = 'sentinel'
  lastHelloMs: number
  /** The text of the Sentinel's last hello. */
  lastHello = ''
  lastMasterDownReplyMs: number
  /** True if this Sentinel reported that the primary is down. */
  masterDown = false
  leader: string | null = null
  leaderEpoch = 0

  constructor(
    readonly primary: Primary,
    id: string,
    address: Address,
    nowMs: number,
  ) {
    super(id, address, primary.downAfterMs, nowMs)
    this.runId = id
    this.lastHelloMs = this.lastMasterDownReplyMs = nowMs
  }
}

export type Watched = Primary | Replica | OtherSentinel

export function primaryOf(one: Watched): Primary {
  return one.kind === 'master' ? one : one.primary
}
