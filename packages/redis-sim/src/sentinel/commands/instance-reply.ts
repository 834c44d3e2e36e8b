import { MapReply } from '../../resp/reply.ts'
import type { DataServer, OtherSentinel, Primary, Replica, Watched } from '../instance.ts'
import type { Sentinel } from '../sentinel.ts'

type InstanceFields = readonly (readonly [name: string, value: string | number])[]

/** The state of an instance, in the format and order of SENTINEL MASTER and similar commands. */
export function instanceReply({ nowMs }: Sentinel, one: Watched): MapReply {
  const since = (ms: number) => (ms === 0 ? 0 : nowMs - ms)
  const { link } = one
  const fields: InstanceFields = [
    ['name', one.name],
    ['ip', one.address.host],
    ['port', one.address.port],
    ['runid', one.runId ?? ''],
    ['flags', flagsOf(one)],
    ['link-pending-commands', link.pending],
    ['link-refcount', link.users],
    ...(one.kind === 'master' && one.failoverInProgress ? [['failover-state', one.failoverState] as const] : []),
    ['last-ping-sent', since(link.unansweredPingMs)],
    ['last-ok-ping-reply', nowMs - link.lastAliveMs],
    ['last-ping-reply', nowMs - link.lastPongMs],
    ...(one.sDown ? [['s-down-time', nowMs - one.sDownSinceMs] as const] : []),
    ...(one.kind === 'master' && one.oDown ? [['o-down-time', nowMs - one.oDownSinceMs] as const] : []),
    ['down-after-milliseconds', one.downAfterMs],
    ...(one.kind === 'sentinel' ? [] : reported(one, nowMs, since)),
    ...ofKind(one, nowMs),
  ]
  return new MapReply(fields.flatMap(([name, value]) => [name, String(value)]))
}

function flagsOf(one: Watched): string {
  const replica = one.kind === 'slave' ? one : null
  const primary = one.kind === 'master' ? one : null
  const flags: [string, boolean | undefined][] = [
    ['s_down', one.sDown],
    ['o_down', primary?.oDown],
    [one.kind, true],
    ['disconnected', one.link.disconnected],
    ['master_down', one.kind === 'sentinel' && one.masterDown],
    ['failover_in_progress', primary?.failoverInProgress],
    ['promoted', replica?.isPromoted],
    ['reconf_sent', replica?.reconfSent],
    ['reconf_inprog', replica?.reconfInProgress],
    ['reconf_done', replica?.reconfDone],
    ['force_failover', primary?.forceFailover],
    ['script_kill_sent', one.scriptKillSent],
  ]
  return flags.flatMap(([name, on]) => (on ? [name] : [])).join(',')
}

function reported(one: DataServer, nowMs: number, since: (ms: number) => number): InstanceFields {
  return [
    ['info-refresh', since(one.infoMs)],
    ['role-reported', one.roleReported === 'master' ? 'master' : 'slave'],
    ['role-reported-time', nowMs - one.roleReportedMs],
  ]
}

function ofKind(one: Watched, nowMs: number): InstanceFields {
  switch (one.kind) {
    case 'master':
      return ofPrimary(one)
    case 'slave':
      return ofReplica(one)
    case 'sentinel':
      return ofSentinel(one, nowMs)
  }
}

function ofPrimary(one: Primary): InstanceFields {
  return [
    ['config-epoch', one.configEpoch],
    ['num-slaves', one.replicas.size],
    ['num-other-sentinels', one.sentinels.size],
    ['quorum', one.quorum],
    ['failover-timeout', one.failoverTimeoutMs],
    ['parallel-syncs', one.parallelSyncs],
  ]
}

function ofReplica(one: Replica): InstanceFields {
  return [
    ['master-link-down-time', one.linkDownMs],
    ['master-link-status', one.linkUp ? 'ok' : 'err'],
    ['master-host', one.follows.host ?? '?'],
    ['master-port', one.follows.port],
    ['slave-priority', one.priority],
    ['slave-repl-offset', one.offset],
    ['replica-announced', one.announced ? 1 : 0],
  ]
}

function ofSentinel(one: OtherSentinel, nowMs: number): InstanceFields {
  return [
    ['last-hello-message', nowMs - one.lastHelloMs],
    ['voted-leader', one.leader ?? '?'],
    ['voted-leader-epoch', one.leaderEpoch],
  ]
}
