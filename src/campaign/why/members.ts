/** Members of a structure in Redis: fields of a hash, members of a set, bits. A layer may keep one for each message in one structure. */
import { ErrorReply } from '../../sim/lua/reply.ts'
import type { ExecutedCommand } from '../../sim/world.ts'
import { replyClass } from '../deciding-step.ts'
import { isLook, keysNamedBy, setsLife } from './commands.ts'

/** What a command was told of one member of a structure. */
export interface Told {
  readonly structure: string
  readonly member: string
  /** The command put it there, or found it. */
  readonly isThere: boolean
  /** It had not been there. */
  readonly wasFree: boolean
  /** It only looks, or puts it there only where it is not: its reply is what it is for. */
  readonly isQuestion: boolean
}

type Read = (args: readonly string[], reply: unknown) => Omit<Told, 'structure'> | null

const put = (member: string | undefined, wasFree: boolean, isQuestion = false) =>
  member === undefined ? null : { member, isThere: true, wasFree, isQuestion }
const look = (member: string | undefined, isThere: boolean) =>
  member === undefined ? null : { member, isThere, wasFree: !isThere, isQuestion: true }

/** Of one member each: what names several says of none of them whether it was there. */
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

export function toldBy({ label, args, reply }: ExecutedCommand): Told | null {
  const told = reply instanceof ErrorReply || replyClass(reply) === 'QUEUED' ? null : reads[label]?.(args, reply)
  return told === null || told === undefined ? null : { structure: args[1]!, ...told }
}

const leavesAll = /^(SADD|PFADD|ZADD|INCR|HSET|HSETNX|HMSET|HINCRBY|PERSIST)$/
const looksOnly = /^(SISMEMBER|SMISMEMBER|SMEMBERS|SCARD|GETBIT|BITCOUNT|Z(SCORE|CARD|COUNT|RANK|RANGE)|HLEN|PFCOUNT)$/
const removes = /^(SREM|ZREM|HDEL)$/

/** It leaves the member where it is, whatever else it does; a life that it gives is counted apart. `score`: of a sorted set's member. */
export function leaves(command: ExecutedCommand, member: string, score: number): boolean {
  const { label, args, reply } = command
  if (reply instanceof ErrorReply || isLook(command) || looksOnly.test(label) || leavesAll.test(label)) return true
  if (/^P?EXPIRE$/.test(label)) return true
  if (label === 'SETBIT') return args[3] === '1' || args[2] !== member
  if (removes.test(label)) return !args.slice(2).includes(member)
  return label === 'ZREMRANGEBYSCORE' && Number(args[3]) < score
}

/** How long a structure is to live by that command, in milliseconds; null where it says nothing of that. */
export function lifeGivenBy(command: ExecutedCommand): number | null {
  if (!/^P?EXPIRE$/.test(command.label) || !setsLife(command)) return null
  return Number(command.args[2]) * (command.label === 'EXPIRE' ? 1000 : 1)
}

export const isAbout = (command: ExecutedCommand, structure: string): boolean =>
  keysNamedBy(command).includes(structure)

/** Not a number where it gave none: it found the member there with another one, or it is of no sorted set. */
export function scoreGivenBy({ label, args, reply }: ExecutedCommand): number {
  const gave = label === 'ZADD' && (args.length === 4 || reply === 1)
  return gave ? Number(args.at(-2)) : Number.NaN
}
