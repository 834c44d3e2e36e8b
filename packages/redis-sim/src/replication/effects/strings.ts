/**
 * Strings and expiry: propagates deadlines instead of durations, and results instead of increments.
 * Source: t_string.c and expire.c of Redis 7.0.
 */
import type { Session } from '../../session.ts'
import { deadlineOf, type Rewrite, type Rewrites } from './rewrite.ts'

const isDeadline = /^(ex|px|exat|pxat)$/i

function setUntil(session: Session, key: string, value: string): readonly (readonly string[])[] {
  return [['SET', key, value, 'PXAT', deadlineOf(session, key)]]
}

const set: Rewrite = (session, args) => {
  if (args.length === 3) return [args]
  const timed = args.some((word, at) => at > 2 && isDeadline.test(word))
  if (timed) return setUntil(session, args[1]!, args[2]!)
  return [args.filter((word, at) => at < 3 || word.toLowerCase() !== 'get')]
}

/**
 * Propagates the new deadline. If the deadline has already passed, the key was deleted, and the
 * deletion is propagated.
 */
const getex: Rewrite = (session, args) => {
  const key = args[1]!
  if (!session.database.entries.has(key)) return [[deletion(session), key]]
  if (args[2]!.toLowerCase() === 'persist') return [['PERSIST', key]]
  return [['PEXPIREAT', key, deadlineOf(session, key)]]
}

/**
 * Propagates PEXPIREAT with the conditions (NX, GT, …) of the command. PEXPIREAT itself is
 * propagated unchanged.
 */
const expire: Rewrite = (session, args) => {
  const key = args[1]!
  if (!session.database.entries.has(key)) return [[deletion(session), key]]
  if (session.command!.fullName === 'pexpireat') return [args]
  return [['PEXPIREAT', key, deadlineOf(session, key), ...args.slice(3)]]
}

/**
 * Propagates RESTORE with an absolute deadline. If the value had already expired, the deletion of
 * the previous key is propagated.
 */
const restore: Rewrite = (session, args) => {
  const key = args[1]!
  if (!session.database.entries.has(key)) return [['DEL', key]]
  if (args[2] === '0' || args.slice(4).some((word) => /^absttl$/i.test(word))) return [args]
  return [[args[0]!, key, deadlineOf(session, key), ...args.slice(3), 'ABSTTL']]
}

function deletion({ server }: Session): string {
  return server.config.lazyfreeLazyExpire ? 'UNLINK' : 'DEL'
}

export const stringRewrites: Rewrites = {
  set,
  restore,
  'restore-asking': restore,
  setex: (session, args) => setUntil(session, args[1]!, args[3]!),
  psetex: (session, args) => setUntil(session, args[1]!, args[3]!),
  getset: (_session, args) => [['SET', ...args.slice(1)]],
  getdel: ({ server }, args) => [[server.config.lazyfreeLazyUserDel ? 'UNLINK' : 'DEL', args[1]!]],
  getex,
  expire,
  pexpire: expire,
  expireat: expire,
  pexpireat: expire,
  incrbyfloat: (_session, args, reply) => [['SET', args[1]!, reply as string, 'KEEPTTL']],
  hincrbyfloat: (_session, args, reply) => [['HSET', args[1]!, args[2]!, reply as string]],
}
