/**
 * What was drawn or popped, by name and number; what waited, as if it had not. Source: t_set.c,
 * t_list.c, t_zset.c.
 */
import { type Reply, SetReply } from '../../resp/reply.ts'
import type { Rewrite, Rewrites } from './rewrite.ts'

const spop: Rewrite = (session, args, reply) => {
  const key = args[1]!
  if (!(reply instanceof SetReply)) return [['SREM', key, reply as string]]
  if (!session.database.entries.has(key)) return [['DEL', key]]
  return (reply.members as readonly string[]).map((member) => ['SREM', key, member])
}

/** `[key, what was popped]`. */
const popOf =
  (command: string): Rewrite =>
  (_session, _args, reply) => [[command, (reply as readonly string[])[0]!]]

/** `numkeys` is `at` words from the left, and the end that is popped from follows the keys. */
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
  // A client that waited is served by other code, which spells the ends its own way.
  blmove: (session, args) =>
    session.waited
      ? [['LMOVE', args[1]!, args[2]!, args[3]!.toLowerCase(), args[4]!.toLowerCase()]]
      : [['LMOVE', args[1]!, args[2]!, args[3]!, args[4]!]],
  brpoplpush: (_session, args) => [['RPOPLPUSH', args[1]!, args[2]!]],
}
