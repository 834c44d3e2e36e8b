/** Determines what a single command did, from its words and its reply. */

import { findCommand, keysOf } from 'redis-sim'
import { ErrorReply } from 'redis-sim/resp'
import { durationText } from '../../../contract/results/time-text.ts'
import { nameOfWith } from '../../../run/statement-labels.ts'
import { textOf } from '../../../sim/world/text-of.ts'
import type { ExecutedCommand } from '../../../sim/world.ts'
import { replyClass } from '../deciding-step.ts'

/** The Redis keys that a command names, as text, as facts have them. */
export function keysNamedBy({ args }: ExecutedCommand): readonly string[] {
  const command = findCommand(args[0]!.toLowerCase())
  return command === undefined ? [] : keysOf(command, args).map(textOf)
}

/** `unknown`: a script, a transaction, or a command that is not analyzed. */
export type Change = 'none' | 'written' | 'deleted' | 'unknown'

const looks = /^(GET|MGET|EXISTS|HGET|HGETALL|HMGET|HEXISTS|LINDEX|LRANGE|SISMEMBER|STRLEN|TYPE|ZSCORE|P?TTL)$/
/** The reply 0 of these commands means that the key does not exist. */
const asks = /^(EXISTS|HEXISTS|SISMEMBER|STRLEN)$/
/**
 * These commands change nothing, and their empty reply does not mean that the key does not exist.
 */
const silent = /^(GETBIT|[HL]LEN|SMISMEMBER|[SZ]CARD|TIME|WATCH|UNWATCH|WAIT)$/
const writes = /^(SET|SETNX|SETEX|PSETEX|GETSET|HSET|HMSET|HSETNX)$/
const deletes = /^(DEL|UNLINK)$/
const keepsValue = /^(P?EXPIRE|P?EXPIREAT|PERSIST)$/

export const isLook = ({ label }: ExecutedCommand): boolean => looks.test(label)
export const changesNothing = ({ label }: ExecutedCommand): boolean => looks.test(label) || silent.test(label)
/** True for a command that keeps the value and may change the time to live. */
export const setsTtl = ({ label, reply }: ExecutedCommand): boolean => keepsValue.test(label) && reply !== 0
export const isWrite = ({ label }: ExecutedCommand): boolean => writes.test(label)
export const isScript = ({ label }: Pick<ExecutedCommand, 'label'>): boolean => /^(EVAL|FCALL)/.test(label)
const hasWord = ({ args }: ExecutedCommand, word: string): boolean => args.some((one) => one.toUpperCase() === word)

/** True for a command that writes only if the key does not exist. */
export const isClaim = (command: ExecutedCommand): boolean =>
  /^H?SETNX$/.test(command.label) || (/^(SET|ZADD)$/.test(command.label) && hasWord(command, 'NX'))

/** The change that a command made to its keys. */
export function changeOf(command: ExecutedCommand): Change {
  const { label, reply } = command
  if (reply instanceof ErrorReply || changesNothing(command) || keepsValue.test(label)) return 'none'
  if (replyClass(reply) === 'QUEUED') return 'unknown'
  if (deletes.test(label)) return reply === 0 ? 'none' : keysNamedBy(command).length === reply ? 'deleted' : 'unknown'
  if (label === 'ZADD' && isClaim(command) && command.args.length === 5) return reply === 1 ? 'written' : 'none'
  if (!writes.test(label)) return 'unknown'
  if (label === 'SETNX' || label === 'HSETNX') return reply === 1 ? 'written' : 'none'
  if (label === 'SET' && (hasWord(command, 'NX') || hasWord(command, 'XX')))
    return hasWord(command, 'GET') ? 'unknown' : reply === null ? 'none' : 'written'
  return 'written'
}

/** True if the reply means that the key did not exist. */
export const foundNothing = ({ label, reply }: ExecutedCommand): boolean =>
  ['nothing', 'an empty list'].includes(replyClass(reply)) ||
  (asks.test(label) && reply === 0) ||
  (/^P?TTL$/.test(label) && reply === -2) ||
  (Array.isArray(reply) && reply.every((one) => one === null))

/**
 * The command's name in a sentence: `SET NX`, `the script acquire`, `HSETNX`. A script without a
 * name is named by its label.
 */
export function nameOf(command: ExecutedCommand): string {
  if (command.session !== undefined && command.label.startsWith('WITH'))
    return nameOfWith(command.args[0]!) ?? command.label
  const script = /^EVALSHA (.+)$/.exec(command.label)?.[1]
  if (script !== undefined) return /^[0-9a-f]{8}$/.test(script) ? command.label : `the script ${script}`
  return /^(SET|ZADD)$/.test(command.label) && isClaim(command) ? `${command.label} NX` : command.label
}

/**
 * The time to live that a SET sets, in milliseconds; null if it sets none, or sets a point in time.
 */
export function lifetimeOf({ label, args }: ExecutedCommand): number | null {
  const after = (word: string) => {
    const at = args.findIndex((one, place) => place > 2 && one.toUpperCase() === word)
    return at === -1 ? null : Number(args[at + 1])
  }
  if (label === 'SETEX') return Number(args[2]) * 1000
  if (label === 'PSETEX') return Number(args[2])
  const seconds = after('EX')
  return label !== 'SET' ? null : seconds === null ? after('PX') : seconds * 1000
}

/** The time to live of the written value as text, ` after 24 h`; empty if it is unknown. */
export function ttlText(write: ExecutedCommand | null): string {
  const ms = write === null ? null : lifetimeOf(write)
  return ms === null ? '' : ` after ${durationText(ms)}`
}
