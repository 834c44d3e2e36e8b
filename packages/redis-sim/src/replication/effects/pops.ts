/**
 * Rewrites pops and random choices to commands that name the actual elements, and blocking commands
 * to non-blocking ones. Source: t_set.c, t_list.c and t_zset.c of Redis 7.0.
 */
import { type Reply, SetReply } from '../../resp/reply.ts'
import type { Rewrite, Rewrites } from './rewrite.ts'

const spop: Rewrite = (session, args, reply) => {
  const key = args[1]!
  if (!(reply instanceof SetReply)) return [['SREM', key, reply as string]]
  if (!session.database.entries.has(key)) return [['DEL', key]]
  return (reply.members as readonly string[]).map((member) => ['SREM', key, member])
}

/** Rewrites a blocking pop, whose reply begins with the key, to a pop from that key. */
const popOf =
  (command: string): Rewrite =>
  (_session, _args, reply) => [[command, (reply as readonly string[])[0]!]]

/**
 * Rewrites a pop from several keys. `numkeys` is at index `at`; the end from which to pop follows
 * the keys.
 */
const popMany =
  (at: number, commands: { readonly [end: string]: string }): Rewrite =>
  (_session, args, reply) => {
    const [key, popped] = reply as readonly [string, readonly Reply[]]
    const end = args[at + Number(args[at]) + 1]!.toLowerCase()
    return [[commands[end]!, key, String(popped.length)]]
  }

const listEnds = { left: 'LPOP', right: 'RPOP' }
const scoreEnds = { min: 'ZPOPMIN', max: 'ZPOPMAX' }

export const popRewrites: Rewrites = {
  spop,
  lmpop: popMany(1, listEnds),
  blmpop: popMany(2, listEnds),
  zmpop: popMany(1, scoreEnds),
  bzmpop: popMany(2, scoreEnds),
  blpop: popOf('LPOP'),
  brpop: popOf('RPOP'),
  bzpopmin: popOf('ZPOPMIN'),
  bzpopmax: popOf('ZPOPMAX'),
  // Redis serves blocked clients in other code, which propagates LEFT and RIGHT in lower case.
  blmove: (session, args) =>
    session.waited
      ? [['LMOVE', args[1]!, args[2]!, args[3]!.toLowerCase(), args[4]!.toLowerCase()]]
      : [['LMOVE', args[1]!, args[2]!, args[3]!, args[4]!]],
  brpoplpush: (_session, args) => [['RPOPLPUSH', args[1]!, args[2]!]],
}
