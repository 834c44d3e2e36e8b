import { type ReplyNode, readReply } from 'test-servers'
import { findCommand } from '../command-table.ts'
import type { Database } from '../keyspace/database.ts'
import { acceptedDifference } from './accepted.ts'
import { ruleFor, sameButTimes } from './rules.ts'

/** `bytes`: identical; `rule`: equal by the command's rule; `accepted`: listed in accepted.ts. */
export type Outcome = 'bytes' | 'rule' | 'accepted' | 'different'

/**
 * For EXEC, `queued` contains the commands of the transaction, so that each reply in the array is
 * compared by the rule of its command.
 */
export function compareReplies(
  args: readonly string[],
  real: string,
  simulated: string,
  queued: readonly (readonly string[])[],
  database: Database | null,
  timed = false,
): Outcome {
  if (real === simulated) return 'bytes'
  if (acceptedDifference(args, real, simulated)) return 'accepted'
  const realNode = wholeReply(real)
  const node = wholeReply(simulated)
  if (commandName(args) === 'raw' && masked(real) === masked(simulated)) return 'rule'
  if (realNode === undefined || node === undefined) return 'different'
  if (realNode.end !== real.length || node.end !== simulated.length) return 'different'
  if (commandName(args) === 'exec') return compareExec(realNode, node, real, simulated, queued)
  if (timed && sameButTimes(realNode, node)) return 'rule'
  return ruleFor(commandName(args))?.(realNode, node, args, database) ? 'rule' : 'different'
}

function compareExec(
  realNode: ReplyNode,
  node: ReplyNode,
  real: string,
  simulated: string,
  queued: readonly (readonly string[])[],
): Outcome {
  if (
    realNode.sign !== node.sign ||
    realNode.items.length !== node.items.length ||
    realNode.items.length !== queued.length
  )
    return 'different'
  const starts = (root: ReplyNode, text: string) =>
    root.items.map((item, at) => text.slice(at === 0 ? text.indexOf('\r\n') + 2 : root.items[at - 1]!.end, item.end))
  const realParts = starts(realNode, real)
  const parts = starts(node, simulated)
  const outcomes = queued.map((args, at) => compareReplies(args, realParts[at]!, parts[at]!, [], null))
  return outcomes.includes('different') ? 'different' : outcomes.includes('accepted') ? 'accepted' : 'rule'
}

/** Hides the times and client addresses in the output of MONITOR. */
function masked(bytes: string): string {
  return bytes.replace(/^\+\d+\.\d{6} \[(\d+) (?!lua\])[^\]]+\]/gm, '+[$1]').replace(/^\+\d+\.\d{6} \[/gm, '+[')
}

/** Undefined if the bytes are not one complete reply. */
function wholeReply(bytes: string): ReplyNode | undefined {
  try {
    return readReply(bytes, 0)
  } catch {
    return undefined
  }
}

/** The full name in lower case (`client|id`). Commands unknown to Redis share one name. */
export function commandName(args: readonly string[]): string {
  const command = findCommand(args[0]!)
  if (command === undefined) return args[0] === 'raw' ? 'raw' : '(unknown)'
  if (command.subcommands === undefined || args.length === 1) return command.fullName
  return command.subcommands.get(args[1]!.toLowerCase())?.fullName ?? '(unknown)'
}
