/**
 * Analyzes commands about members of Redis structures: fields of a hash, members of a set, bits. A
 * layer may keep one member for each message in one structure.
 */
import { DoubleReply, ErrorReply, type Reply } from 'redis-sim/resp'
import { textOf } from '../../../sim/world/text-of.ts'
import type { ExecutedCommand } from '../../../sim/world.ts'
import { replyClass } from '../deciding-step.ts'
import { type Change, changeOf, isClaim, isLook, keysNamedBy, lifetimeOf, setsTtl } from './commands.ts'

/** What the reply to a command shows about one member of a structure. */
export interface Reported {
  readonly structure: string
  /** Raw bytes, because two names that are not valid text may be equal as text. */
  readonly member: string
  /** True if the member exists after the command. */
  readonly isThere: boolean
  /** True if the member did not exist before. */
  readonly wasFree: boolean
  /**
   * True if the command only reads, or only adds a missing member, so that its purpose is the
   * reply.
   */
  readonly isQuestion: boolean
}

type Read = (args: readonly string[], reply: unknown) => Omit<Reported, 'structure'> | null

const put = (member: string | undefined, wasFree: boolean, isQuestion = false) =>
  member === undefined ? null : { member, isThere: true, wasFree, isQuestion }
const look = (member: string | undefined, isThere: boolean) =>
  member === undefined ? null : { member, isThere, wasFree: !isThere, isQuestion: true }

/**
 * Only commands with one member are read. If a command names several members, its reply does not
 * show which members existed.
 */
const reads: Readonly<Record<string, Read>> = {
  SADD: (args, reply) => (args.length === 3 ? put(args[2], reply === 1) : null),
  PFADD: (args, reply) => (args.length === 3 ? put(args[2], reply === 1) : null),
  ZADD: (args, reply) => {
    if (args.length === 4) return put(args[3], reply === 1)
    return args.length === 5 && args[2]!.toUpperCase() === 'NX' ? put(args[4], reply === 1, true) : null
  },
  SETBIT: (args, reply) => (args[3] === '1' ? put(args[2], reply === 0) : null),
  INCR: (_args, reply) => put('', reply === 1),
  HSETNX: (args, reply) => put(args[2], reply === 1, true),
  HSET: (args, reply) => (args.length === 4 ? put(args[2], reply === 1) : null),
  SISMEMBER: (args, reply) => look(args[2], reply !== 0),
  GETBIT: (args, reply) => look(args[2], reply !== 0),
  ZSCORE: (args, reply) => look(args[2], reply !== null),
  HEXISTS: (args, reply) => look(args[2], reply !== 0),
  HGET: (args, reply) => look(args[2], reply !== null),
}

export function reportedBy({ label, args, reply }: ExecutedCommand): Reported | null {
  const reported = fails(reply) ? null : reads[label]?.(args, reply)
  return reported === null || reported === undefined ? null : { structure: textOf(args[1]!), ...reported }
}

/** True if the command failed, or was queued in a transaction, so that its outcome is unknown. */
const fails = (reply: Reply): boolean => reply instanceof ErrorReply || replyClass(reply) === 'QUEUED'

/** True if the command adds a member only if the member does not exist. */
export const isMemberClaim = ({ label, args }: ExecutedCommand): boolean =>
  label === 'HSETNX' || (label === 'ZADD' && args[2]!.toUpperCase() === 'NX')

/** True if the command added the member, or overwrote its value. */
export function hasWritten(command: ExecutedCommand, member: string): boolean {
  const { label, args, reply } = command
  if (/^HM?SET$/.test(label)) return !fails(reply) && args.some((one, at) => at >= 2 && at % 2 === 0 && one === member)
  const reported = reportedBy(command)
  return (
    reported?.member === member &&
    reported.isThere &&
    (reported.wasFree || (label === 'ZADD' && !isMemberClaim(command)))
  )
}

const ofMembers = /^(SADD|SREM|ZADD|ZREM|HSET|HMSET|HSETNX|HDEL|HINCRBY|SISMEMBER|HGET|HEXISTS|ZSCORE)$/
const fieldsAndValues = /^(HSET|HMSET)$/

/** The members that the command names; null for a command about a whole structure, or a key. */
function membersIn({ label, args }: ExecutedCommand): readonly string[] | null {
  if (!ofMembers.test(label)) return null
  if (label === 'ZADD') return args.slice(2).filter((one, at, all) => at > 0 && isScore(all[at - 1]!) && !isScore(one))
  const named = args.slice(2)
  return fieldsAndValues.test(label)
    ? named.filter((_, at) => at % 2 === 0)
    : removes.test(label)
      ? named
      : named.slice(0, 1)
}

/** The member, if the command names exactly one. */
export function memberIn(command: ExecutedCommand): string | null {
  const members = membersIn(command)
  return members?.length === 1 ? members[0]! : null
}

/** True if the command names other members of the structure, but not this one. */
export const leavesAlone = (command: ExecutedCommand, member: string): boolean =>
  membersIn(command)?.includes(member) === false

/** The change that a command made to the member. */
export function changeAt(command: ExecutedCommand, member: string): Change {
  const { label, reply } = command
  const members = membersIn(command)
  if (members === null || fails(reply)) return changesNoMember(command) ? 'none' : changeOf(command)
  if (!members.includes(member) || looksOnly.test(label)) return 'none'
  if (removes.test(label)) return reply === 0 ? 'none' : reply === members.length ? 'deleted' : 'unknown'
  if (label === 'SADD' && members.length === 1) return reply === 1 ? 'written' : 'none'
  return isClaim(command) ? changeOf(command) : puts.test(label) ? 'written' : 'none'
}

/** A reply that is a single text, in the form of a command's words; null for other replies. */
export const textIn = (reply: Reply): string | null =>
  reply instanceof DoubleReply ? reply.text : typeof reply === 'string' ? reply : null

/**
 * The change that a command made to the member of a sorted set. `score`: the score of the member.
 */
export function changeOfScored(command: ExecutedCommand, member: string, score: number): Change {
  if (command.label !== 'ZREMRANGEBYSCORE') return changeAt(command, member)
  const [min, max] = command.args.slice(2).map((word) => Number(word.replace('inf', 'Infinity')))
  return command.reply !== 0 && score >= min! && score <= max! ? 'deleted' : 'none'
}

const isScore = (word: string): boolean => /^[-+]?(\d+(\.\d+)?([eE][-+]?\d+)?|inf)$/.test(word)

const puts = /^(SADD|PFADD|ZADD|INCR|HSET|HSETNX|HMSET|HINCRBY)$/
const ttlCommands = /^P?EXPIRE$/
const looksOnly = /^(SISMEMBER|SMISMEMBER|SMEMBERS|SCARD|GETBIT|BITCOUNT|Z(SCORE|CARD|COUNT|RANK|RANGE)|HLEN|PFCOUNT)$/
const removes = /^(SREM|ZREM|HDEL)$/

/** True for a read, or for a claim that was refused. */
export const changesNoMember = (command: ExecutedCommand): boolean =>
  looksOnly.test(command.label) || (isMemberClaim(command) && command.reply === 0)

export const isRemoval = ({ label }: ExecutedCommand): boolean => removes.test(label) || label === 'ZREMRANGEBYSCORE'

/**
 * True if the command keeps the member. A time to live that it sets is considered separately.
 * `score`: the score of the member of a sorted set.
 */
export function leaves(command: ExecutedCommand, member: string, score: number): boolean {
  const { label, args, reply } = command
  if (reply instanceof ErrorReply || isLook(command) || looksOnly.test(label)) return true
  if (ttlCommands.test(label) || label === 'PERSIST') return true
  if (label === 'HINCRBY') return args[2] !== member
  if (label === 'ZADD') return reportedBy(command) !== null || !args.includes(member)
  if (puts.test(label)) return true
  if (label === 'SETBIT') return args[3] === '1' || args[2] !== member
  if (removes.test(label)) return !args.slice(2).includes(member)
  return label === 'ZREMRANGEBYSCORE' && Number(args[3]) < score
}

/** True if the words of the command show whether it sets a time to live, and which one. */
export function reportsTtl(command: ExecutedCommand): boolean {
  const { label, args, reply } = command
  if (reply instanceof ErrorReply) return true
  if (/^P?EXPIREAT$/.test(label) || (label === 'SET' && args.some((one) => /^(EX|PX)AT$/i.test(one)))) return false
  return (
    changeOf(command) !== 'unknown' ||
    puts.test(label) ||
    looksOnly.test(label) ||
    isRemoval(command) ||
    label === 'SETBIT'
  )
}

/** The time to live that the command sets, in milliseconds; null if it sets none. */
export function ttlSetBy(command: ExecutedCommand): number | null {
  const { label, args } = command
  if (!ttlCommands.test(label)) return lifetimeOf(command)
  return setsTtl(command) ? Number(args[2]) * (label === 'EXPIRE' ? 1000 : 1) : null
}

export const isAbout = (command: ExecutedCommand, structure: string): boolean =>
  keysNamedBy(command).includes(structure)

/**
 * The score that the command set; NaN if it set none: ZADD NX was refused, or the structure is not
 * a sorted set.
 */
export function scoreGivenBy({ label, args, reply }: ExecutedCommand): number {
  const gave = label === 'ZADD' && (args.length === 4 || reply === 1)
  return gave ? Number(args.at(-2)) : Number.NaN
}
