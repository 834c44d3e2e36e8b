/** Counts the Cluster slots that a layer's keys and commands fall into. */
import { findCommand, keysOf } from 'redis-sim'
import { keySlot } from 'redis-sim/cluster'
import { ErrorReply } from 'redis-sim/resp'
import type { Plan } from '../../contract/api/plan.ts'
import { firstSlotOf } from '../../run/cluster-nodes.ts'
import { textOf } from '../../sim/world/text-of.ts'
import type { RunResult } from '../types.ts'
import { addCount, type Tally } from './tally.ts'

/** Counts one run. Ignores runs without a Cluster, and commands that were refused or redirected. */
export function countSlots(tally: Tally, { history, executed }: Pick<RunResult, 'history' | 'executed'>): void {
  const { redis } = (history.header.plan ?? {}) as Partial<Pick<Plan, 'redis'>>
  const shards = redis?.shards
  if (shards === undefined) return
  for (const { args, reply, session } of executed) {
    const command = session === undefined ? findCommand(args[0]!.toLowerCase()) : undefined
    if (command === undefined || reply instanceof ErrorReply) continue
    const keys = keysOf(command, args)
    for (const key of keys) tally.slotKeys.add(`${keySlot(key)} ${textOf(key)}`)
    // All keys of an executed command are in one slot, because a Cluster refuses other commands.
    if (keys.length > 0) addCount(tally.slotCommands, slotName(keySlot(keys[0]!), shards), 1)
  }
}

/** The shard, counted from 1, and the slot: `2/12182`. */
function slotName(slot: number, shards: number): string {
  let shard = shards
  while (firstSlotOf(shard - 1, shards) > slot) shard--
  return `${shard}/${slot}`
}
