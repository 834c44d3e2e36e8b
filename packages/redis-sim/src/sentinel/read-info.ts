import type { InfoReply } from '../info-reply.ts'
import { type Address, leadingInteger, sameHost } from './address.ts'
import type { DataServer } from './instance.ts'

/** The parts of an INFO that require action. */
export interface InfoNews {
  /** The reported role; null if INFO does not contain a role. */
  readonly role: 'master' | 'slave' | null
  /** True if the run id differs from that of the previous INFO. */
  readonly rebooted: boolean
  readonly replicas: readonly Address[]
}

/**
 * Stores the data of an INFO. Source: the first half of sentinelRefreshInstanceInfo of Redis 7.0.
 * Lines are processed in order, so fields of replicas only count after `role:slave`.
 */
export function readInfo(one: DataServer, info: InfoReply, nowMs: number): InfoNews {
  let role: 'master' | 'slave' | null = null
  let rebooted = false
  const replicas: Address[] = []
  one.info = info
  one.linkDownMs = 0
  for (const { lines } of info.sections)
    for (const [field, said] of lines) {
      if (!beginsLikeAField(field.charCodeAt(0))) continue
      const value = String(said)
      if (field === 'run_id') rebooted = readRunId(one, value)
      else if (field === 'master_link_down_since_seconds') one.linkDownMs = leadingInteger(value) * 1000
      else if (field === 'role') role = value.startsWith('master') ? 'master' : 'slave'
      else if (one.kind === 'master' && /^slave\d/.test(field)) readReplicaOf(value, replicas)
      else if (role === 'slave') readReplicaField(one, field, value, nowMs)
    }
  one.infoMs = nowMs
  return { role, rebooted, replicas }
}

/**
 * Rejects most lines by their first character: only `run_id`, `role`, `replica_announced`,
 * `master_…` and `slave…` are read.
 */
const beginsLikeAField = (code: number): boolean => code === 0x72 || code === 0x6d || code === 0x73

function readRunId(one: DataServer, value: string): boolean {
  const runId = value.slice(0, 40)
  const changed = one.runId !== null && one.runId !== runId
  one.runId = runId
  return changed
}

/** Reads a line about a replica: `ip=10.0.0.2,port=6379,state=online,…` */
function readReplicaOf(value: string, replicas: Address[]): void {
  const host = /ip=([^,]*)/.exec(value)?.[1]
  const port = /port=([^,]*)/.exec(value)?.[1]
  if (host !== undefined && port !== undefined) replicas.push({ host, port: leadingInteger(port) })
}

function readReplicaField(one: DataServer, field: string, value: string, nowMs: number): void {
  switch (field) {
    case 'master_host':
      if (one.follows.host !== null && sameHost(one.follows.host, value)) return
      one.follows.host = value
      one.followsChangedMs = nowMs
      return
    case 'master_port':
      if (one.follows.port === leadingInteger(value)) return
      one.follows.port = leadingInteger(value)
      one.followsChangedMs = nowMs
      return
    case 'master_link_status':
      one.linkUp = value.toLowerCase() === 'up'
      return
    case 'slave_priority':
      one.priority = leadingInteger(value)
      return
    case 'slave_repl_offset':
      one.offset = leadingInteger(value)
      return
    case 'replica_announced':
      one.announced = leadingInteger(value) !== 0
      return
  }
}
