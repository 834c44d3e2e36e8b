/**
 * Decides whether this node serves the keys of a command. If it does not, determines the error
 * reply. The texts and the order of the checks are those of getNodeByQuery and
 * clusterRedirectClient of Redis 7.0, without migrating slots.
 */

import { type Command, flagBits } from '../command.ts'
import { flagsOf } from '../degraded-state.ts'
import { keysOf } from '../key-specs.ts'
import { ErrorReply } from '../resp/reply.ts'
import type { QueuedCommand, Session } from '../session.ts'
import type { Cluster } from './cluster.ts'
import type { ClusterNode } from './cluster-node.ts'
import { keySlot } from './key-slot.ts'

const crossSlot = new ErrorReply("CROSSSLOT Keys in request don't hash to the same slot")
const unbound = new ErrorReply('CLUSTERDOWN Hash slot not served')
const down = new ErrorReply('CLUSTERDOWN The cluster is down')
const downReadOnly = new ErrorReply('CLUSTERDOWN The cluster is down and only accepts read commands')

/** `slot` is -1 for a command without keys. `refused` is null if this node serves the command. */
interface Ruling {
  readonly slot: number
  readonly refused: ErrorReply | ClusterNode | null
}

/**
 * The redirection or error for the client; null if the command is served here. Stores the slot for
 * scripts.
 */
export function redirection(
  cluster: Cluster,
  session: Session,
  command: Command,
  args: readonly string[],
): ErrorReply | null {
  session.slot = -1
  const { slot, refused } = rule(cluster, session, command, args)
  session.slot = slot
  if (refused === null || refused instanceof ErrorReply) return refused
  return new ErrorReply(`MOVED ${slot} ${refused.host}:${refused.port}`)
}

const scriptDown = new ErrorReply('ERR Script attempted to execute a command while the cluster is down')
const scriptDownReadOnly = new ErrorReply(
  'ERR Script attempted to execute a write command while the cluster is down and readonly',
)
const scriptElsewhere = new ErrorReply('ERR Script attempted to access a non local key in a cluster node')
const scriptAcross = new ErrorReply('ERR Script attempted to access keys that do not hash to the same slot')

/**
 * The error for a command of a script, which cannot be redirected. Source: scriptVerifyClusterState
 * of Redis 7.0.
 */
export function scriptRefusal(
  cluster: Cluster,
  script: Session,
  caller: Session,
  allowsCrossSlot: boolean,
  { command, args }: QueuedCommand,
): ErrorReply | null {
  script.readsReplica = caller.readsReplica
  const { slot, refused } = rule(cluster, script, command, args)
  if (refused === downReadOnly) return scriptDownReadOnly
  if (refused === down) return scriptDown
  if (refused !== null) return scriptElsewhere
  if (slot === -1 || allowsCrossSlot) return null
  if (caller.slot === -1) caller.slot = slot
  return caller.slot === slot ? null : scriptAcross
}

function rule(cluster: Cluster, session: Session, command: Command, args: readonly string[]): Ruling {
  const { queue, server } = session
  const executes = command.fullName === 'exec'
  if (executes && queue === null) return here
  const asked: readonly QueuedCommand[] = executes ? queue! : [{ command, args }]
  const found = slotOf(cluster, asked)
  if (found === null) return here
  if (found instanceof ErrorReply) return { slot: -1, refused: found }
  const { slot, owner } = found
  const flags = flagsOf(server, { command, args })
  const ofShards = shardCommands.has(command.fullName)
  if (cluster.state !== 'ok') {
    const { clusterAllowReadsWhenDown, clusterAllowPubsubshardWhenDown } = server.config
    if (ofShards ? !clusterAllowPubsubshardWhenDown : !clusterAllowReadsWhenDown) return { slot: -1, refused: down }
    if (!ofShards && (flags & flagBits.write) !== 0) return { slot: -1, refused: downReadOnly }
  }
  const writes = [{ command, args }, ...(executes ? asked : [])].some((one) => flagsOf(server, one) & flagBits.write)
  const { myself } = cluster
  if ((session.readsReplica || ofShards) && !writes && !myself.isPrimary && myself.primary === owner)
    return { slot, refused: null }
  return { slot, refused: owner === myself ? null : owner }
}

const here: Ruling = { slot: -1, refused: null }
const shardCommands = new Set(['ssubscribe', 'sunsubscribe', 'spublish'])

/**
 * The slot of all keys and its owner; null if there are no keys; an error if the keys have
 * different slots or the slot has no owner.
 */
function slotOf(
  cluster: Cluster,
  asked: readonly QueuedCommand[],
): { slot: number; owner: ClusterNode } | ErrorReply | null {
  let found: { slot: number; owner: ClusterNode } | null = null
  for (const { command, args } of asked) {
    for (const key of keysAsked(command, args)) {
      const slot = keySlot(key)
      if (found === null) {
        const owner = cluster.slots.owner(slot)
        if (owner === null) return unbound
        found = { slot, owner }
      } else if (found.slot !== slot) return crossSlot
    }
  }
  return found
}

/** Shard channels count as keys. */
function keysAsked(command: Command, args: readonly string[]): readonly string[] {
  if (!shardCommands.has(command.fullName)) return keysOf(command, args)
  return command.fullName === 'spublish' ? [args[1]!] : args.slice(1)
}
