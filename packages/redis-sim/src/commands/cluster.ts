/**
 * The read-only subcommands of CLUSTER, and READONLY, READWRITE and ASKING. Source: clusterCommand
 * of Redis 7.0.
 */

import type { Cluster } from '../cluster/cluster.ts'
import {
  describeCluster,
  describeLinks,
  describeNode,
  describeNodes,
  describeShards,
  describeSlots,
} from '../cluster/describe.ts'
import { isReported } from '../cluster/failure.ts'
import { keySlot, slotCount } from '../cluster/key-slot.ts'
import type { Answer, Handler, Handlers } from '../command.ts'
import { cString } from '../errors.ts'
import { ErrorReply, OK, VerbatimReply } from '../resp/reply.ts'
import type { Session } from '../session.ts'
import { integer } from './arguments.ts'

const disabled = new ErrorReply('ERR This instance has cluster support disabled')

function ofCluster(answer: (cluster: Cluster, args: readonly string[], session: Session) => Answer): Handler {
  return (session, args) => (session.server.cluster === null ? disabled : answer(session.server.cluster, args, session))
}

/** Returns the newest keys first. */
function keysInSlot({ server }: Cluster, slot: number): string[] {
  return [...server.keyspace.select(0)!.entries.keys()].reverse().filter((key) => keySlot(key) === slot)
}

function countkeysinslot(cluster: Cluster, args: readonly string[]): Answer {
  const slot = integer(args[2]!)
  if (slot instanceof ErrorReply) return slot
  if (slot < 0 || slot >= slotCount) return new ErrorReply('ERR Invalid slot')
  return keysInSlot(cluster, Number(slot)).length
}

function getkeysinslot(cluster: Cluster, args: readonly string[]): Answer {
  const slot = integer(args[2]!)
  if (slot instanceof ErrorReply) return slot
  const most = integer(args[3]!)
  if (most instanceof ErrorReply) return most
  if (slot < 0 || slot >= slotCount || most < 0) return new ErrorReply('ERR Invalid slot or number of keys')
  return keysInSlot(cluster, Number(slot)).slice(0, Number(most))
}

function replicas(cluster: Cluster, args: readonly string[]): Answer {
  const node = cluster.node(args[2]!)
  if (node === undefined) return unknownNode(args[2]!)
  if (!node.isPrimary) return new ErrorReply('ERR The specified node is not a master')
  return node.replicas.map((replica) => describeNode(cluster, replica))
}

function countFailureReports(cluster: Cluster, args: readonly string[]): Answer {
  const node = cluster.node(args[2]!)
  if (node === undefined) return unknownNode(args[2]!)
  return isReported(cluster, node) ? node.reports.size : 0
}

function unknownNode(id: string): ErrorReply {
  return new ErrorReply(`ERR Unknown node ${cString(id)}`)
}

function readsReplica(on: boolean): Handler {
  return ofCluster((_cluster, _args, session) => {
    session.readsReplica = on
    return OK
  })
}

export const clusterHandlers: Handlers = {
  'cluster|info': ofCluster((cluster) => new VerbatimReply('txt', describeCluster(cluster))),
  'cluster|nodes': ofCluster((cluster) => new VerbatimReply('txt', describeNodes(cluster))),
  'cluster|slots': ofCluster((cluster) => describeSlots(cluster)),
  'cluster|shards': ofCluster((cluster) => describeShards(cluster)),
  'cluster|links': ofCluster((cluster) => describeLinks(cluster)),
  'cluster|myid': ofCluster(({ myself }) => myself.id),
  'cluster|keyslot': ofCluster((_cluster, args) => keySlot(args[2]!)),
  'cluster|countkeysinslot': ofCluster(countkeysinslot),
  'cluster|getkeysinslot': ofCluster(getkeysinslot),
  'cluster|replicas': ofCluster(replicas),
  'cluster|slaves': ofCluster(replicas),
  'cluster|count-failure-reports': ofCluster(countFailureReports),
  /** Slots never migrate, so ASKING has no effect. */
  asking: ofCluster(() => OK),
  readonly: readsReplica(true),
  readwrite: readsReplica(false),
}
