/**
 * Rules for random replies: the choices of the two servers may differ, but both must be possible.
 */

import type { ReplyNode } from 'test-servers'
import type { Database } from '../keyspace/database.ts'
import { formatDouble } from '../numbers/double.ts'
import type { Rule } from './rules.ts'

/** Members of a collection, with the values or scores that WITHVALUES or WITHSCORES returns. */
function contentsOf(database: Database, key: string): ReadonlyMap<string, string> {
  const entry = database.entries.get(key)
  switch (entry?.type) {
    case 'hash':
      return entry.fields
    case 'set':
      return new Map([...entry.members].map((member) => [member, '']))
    case 'zset':
      return new Map([...entry.scores].map(([member, score]) => [member, formatDouble(score)]))
    default:
      return new Map()
  }
}

/**
 * HRANDFIELD, SRANDMEMBER, ZRANDMEMBER: both replies have the same number of elements, all elements
 * are members, and no element occurs twice unless the count is negative.
 */
export const sample: Rule = (real, simulated, args, database) => {
  if (real.sign !== simulated.sign || (real.text === null) !== (simulated.text === null)) return false
  if (real.items.length !== simulated.items.length || '+-'.includes(real.sign)) return false
  if (database === null) return true
  const contents = contentsOf(database, args[1]!)
  const repeats = (args[2] ?? '').startsWith('-')
  return [real, simulated].every((reply) => isSample(reply, contents, args.length > 3, repeats))
}

function isSample(
  reply: ReplyNode,
  contents: ReadonlyMap<string, string>,
  withValues: boolean,
  repeats: boolean,
): boolean {
  if (reply.sign === '$') return contents.has(reply.text!)
  const nested = reply.items.some(({ items }) => items.length > 0)
  const flat = nested ? reply.items.flatMap(({ items }) => items) : reply.items
  const members = withValues ? flat.filter((_, at) => at % 2 === 0) : flat
  const values = withValues ? flat.filter((_, at) => at % 2 === 1) : []
  const names = members.map(({ text }) => text!)
  if (!repeats && new Set(names).size !== names.length) return false
  return names.every((name, at) => contents.has(name) && (!withValues || contents.get(name) === values[at]!.text))
}

/** RANDOMKEY: both replies may be any existing key. */
export const anyKey: Rule = (real, simulated, _args, database) => {
  if (real.sign !== '$' || simulated.sign !== '$') return false
  if (real.text === null || simulated.text === null) return false
  return database === null || [real, simulated].every(({ text }) => database.entries.has(text!))
}
