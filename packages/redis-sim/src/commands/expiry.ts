/**
 * The EXPIRE family. A key with deadline T is alive at T and expired after it. Source: expire.c of
 * Redis 7.0.
 */

import type { Answer, Handler, Handlers } from '../command.ts'
import { cString, invalidExpire } from '../errors.ts'
import { addInt64, type Int64, multiplyInt64 } from '../numbers/int64.ts'
import { ErrorReply } from '../resp/reply.ts'
import type { Session } from '../session.ts'
import { integer } from './arguments.ts'

function expire(unitMs: 1 | 1000, base: 'now' | 'epoch'): Handler {
  return (session, args) => {
    const conditions = parseConditions(args)
    if (conditions instanceof ErrorReply) return conditions
    const amount = integer(args[2]!)
    if (amount instanceof ErrorReply) return amount
    const inMs = unitMs === 1 ? amount : multiplyInt64(amount, 1000)
    const nowMs = session.server.keyspace.state.nowMs
    const deadline = inMs === undefined ? undefined : base === 'now' ? addInt64(inMs, nowMs) : inMs
    if (deadline === undefined) return invalidExpire(session.command!.fullName)
    return setDeadline(session, args[1]!, deadline, conditions)
  }
}

function setDeadline(session: Session, key: string, deadline: Int64, conditions: ReadonlySet<string>): Answer {
  const { database } = session
  const entry = database.get(key)
  if (entry === undefined) return 0
  const current = entry.expireAtMs
  if (conditions.has('nx') && current !== -1) return 0
  if (conditions.has('xx') && current === -1) return 0
  if (conditions.has('gt') && (current === -1 || deadline <= current)) return 0
  if (conditions.has('lt') && current !== -1 && deadline >= current) return 0
  if (database.isPast(deadline)) {
    database.remove(key)
    database.touched(key, 'g', 'del')
  } else {
    entry.expireAtMs = deadline
    database.touched(key, 'g', 'expire')
  }
  return 1
}

const noConditions: ReadonlySet<string> = new Set()

function parseConditions(args: readonly string[]): ReadonlySet<string> | ErrorReply {
  if (args.length === 3) return noConditions
  const given = new Set<string>()
  for (let at = 3; at < args.length; at++) {
    const word = args[at]!.toLowerCase()
    if (!['nx', 'xx', 'gt', 'lt'].includes(word)) return new ErrorReply(`ERR Unsupported option ${cString(args[at]!)}`)
    given.add(word)
  }
  if (given.has('nx') && given.size > 1) {
    return new ErrorReply('ERR NX and XX, GT or LT options at the same time are not compatible')
  }
  if (given.has('gt') && given.has('lt')) {
    return new ErrorReply('ERR GT and LT options at the same time are not compatible')
  }
  return given
}

function remaining(unit: 'ms' | 's', absolute: boolean): Handler {
  return (session, args) => {
    const entry = session.database.glance(args[1]!)
    if (entry === undefined) return -2
    const deadline = entry.expireAtMs
    if (deadline === -1) return -1
    const left = absolute ? deadline : addInt64(deadline, -session.server.keyspace.state.nowMs)!
    if (unit === 'ms') return left
    return typeof left === 'number' ? Math.floor((left + 500) / 1000) : (left + 500n) / 1000n
  }
}

function persist(session: Session, [, key]: readonly string[]): Answer {
  const entry = session.database.get(key!)
  if (entry === undefined || entry.expireAtMs === -1) return 0
  entry.expireAtMs = -1
  session.database.touched(key!, 'g', 'persist')
  return 1
}

export const expiryHandlers: Handlers = {
  expire: expire(1000, 'now'),
  pexpire: expire(1, 'now'),
  expireat: expire(1000, 'epoch'),
  pexpireat: expire(1, 'epoch'),
  ttl: remaining('s', false),
  pttl: remaining('ms', false),
  expiretime: remaining('s', true),
  pexpiretime: remaining('ms', true),
  persist,
}
