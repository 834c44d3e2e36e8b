/**
 * Rules for the differences that are allowed between real and simulated replies: random order, the
 * time between two clock reads, and server-specific values. Everything else must be identical.
 */

import { canonical, type ReplyNode } from 'test-servers'
import type { Database } from '../keyspace/database.ts'
import { referenceCount } from '../keyspace/encoding.ts'
import { isExact } from '../memory-usage.ts'
import { anyKey, sample } from './chance.ts'
import { sameValue } from './dumped.ts'
import { sameClients, sameInfo } from './own-figures.ts'

/**
 * `database` is the state after the command; null in a transaction, whose later commands may have
 * changed it.
 */
export type Rule = (
  real: ReplyNode,
  simulated: ReplyNode,
  args: readonly string[],
  database: Database | null,
) => boolean

/** Maximum difference between clock values of the two servers. */
const toleranceMs = 300

const rules: { readonly [command: string]: Rule } = {
  keys: sameItems,
  command: sameCommands,
  'command|docs': sameDocs,
  'memory|usage': closeTo(0.25),
  'command|info': sameCommands,
  'command|list': sameItems,
  smembers: whenUnordered(sameItems),
  sinter: sameItems,
  sort: (real, simulated, args) => /^by$/i.test(args[3] ?? '') && sameItems(real, simulated),
  zrandmember: sample,
  'function|list': sameItems,
  'pubsub|channels': sameItems,
  'pubsub|shardchannels': sameItems,
  xpending: sameButIdle((node, at) => node.items.length === 4 && at === 2),
  'xinfo|consumers': sameButIdle((node, at) => node.items[at - 1]?.text === 'idle'),
  'xinfo|stream': sameButTimes,
  sunion: sameItems,
  sdiff: sameItems,
  hkeys: whenUnordered(sameItems),
  hvals: whenUnordered(sameItems),
  hgetall: whenUnordered(samePairs),
  hscan: whenUnordered(sameScan),
  sscan: whenUnordered(sameScan),
  zscan: whenUnordered(sameScan),
  scan: sameScan,
  hrandfield: sample,
  srandmember: sample,
  spop: sameItems,
  randomkey: anyKey,
  dump: sameValue,
  'acl|cat': sameItems,
  'acl|genpass': sameLength,
  'acl|getuser': sameWords,
  'acl|list': sameWords,
  'acl|log': sameLog,
  dbsize: countsExpired,
  ttl: near(1),
  pttl: near(toleranceMs),
  expiretime: near(1),
  pexpiretime: near(toleranceMs),
  'object|idletime': idleTime,
  lastsave: near(7 * 86400),
  time: sameTime,
  'client|list': sameClients,
  'client|info': sameClients,
  info: sameInfo,
  'config|get': samePairs,
  eval: sameButAddresses,
  eval_ro: sameButAddresses,
  evalsha: sameButAddresses,
  evalsha_ro: sameButAddresses,
}

/** `name` is the full name in lower case, `client|id`. */
export function ruleFor(name: string): Rule | undefined {
  return rules[name]
}

function sameItems(real: ReplyNode, simulated: ReplyNode): boolean {
  return real.sign === simulated.sign && sameMultiset(real.items.map(canonical), simulated.items.map(canonical))
}

/** Commands and subcommands may be in any order; the description of each command may not differ. */
function sameCommands(real: ReplyNode, simulated: ReplyNode): boolean {
  const flat = (node: ReplyNode): string[] =>
    node.items.flatMap((command) => [
      canonical({ ...command, items: command.items.slice(0, 9) }),
      ...(command.items[9] === undefined ? [] : flat(command.items[9])),
    ])
  return real.sign === simulated.sign && sameMultiset(flat(real), flat(simulated))
}

/** Like `sameCommands`, for COMMAND DOCS. */
function sameDocs(real: ReplyNode, simulated: ReplyNode): boolean {
  const flat = (node: ReplyNode): string[] =>
    node.items.flatMap((name, at) => {
      if (at % 2 === 1) return []
      const doc = node.items[at + 1]!
      const place = doc.items.findIndex((item, index) => index % 2 === 0 && item.text === 'subcommands') + 1
      const rest = { ...doc, items: doc.items.filter((_, index) => place === 0 || index !== place) }
      return [canonical(name) + canonical(rest), ...(place === 0 ? [] : flat(doc.items[place]!))]
    })
  return real.sign === simulated.sign && sameMultiset(flat(real), flat(simulated))
}

/**
 * Accepts byte counts that differ by at most this share, because real Redis samples few elements,
 * or reserves spare room.
 */
function closeTo(share: number): Rule {
  return (real, simulated, args, database) => {
    const entry = database?.entries.get(args[2]!)
    if (entry === undefined || isExact(entry)) return false
    const [a, b] = [Number(real.text), Number(simulated.text)]
    return real.sign === ':' && simulated.sign === ':' && Math.abs(a - b) <= share * a
  }
}

function samePairs(real: ReplyNode, simulated: ReplyNode): boolean {
  return real.sign === simulated.sign && sameMultiset(pairs(real), pairs(simulated))
}

function pairs(node: ReplyNode): string[] {
  return node.items.flatMap((item, at) => (at % 2 === 0 ? [canonical(item) + canonical(node.items[at + 1]!)] : []))
}

function sameMultiset(a: string[], b: string[]): boolean {
  return JSON.stringify(a.sort()) === JSON.stringify(b.sort())
}

/**
 * Applies the rule only if real Redis stores the value in a hash table, because only then the order
 * is random.
 */
function whenUnordered(rule: Rule): Rule {
  return (real, simulated, args, database) => {
    if (database === null) return rule(real, simulated, args, null)
    const entry = database.entries.get(args[1]!)
    const ordered =
      entry === undefined ||
      (entry.type === 'hash' && entry.compact) ||
      (entry.type === 'set' && entry.integers) ||
      (entry.type === 'zset' && entry.compact)
    return !ordered && rule(real, simulated, args, database)
  }
}

/** For texts of ACL: the words of a text may be in any order. */
function sameWords(real: ReplyNode, simulated: ReplyNode): boolean {
  const sorted = (node: ReplyNode): ReplyNode => ({
    ...node,
    text: node.text?.split(' ').sort().join(' ') ?? null,
    items: node.items.map(sorted),
  })
  return canonical(sorted(real)) === canonical(sorted(simulated))
}

function sameLength(real: ReplyNode, simulated: ReplyNode): boolean {
  const drawn = (node: ReplyNode) => node.sign === '$' && /^[0-9a-f]+$/.test(node.text ?? '')
  return drawn(real) && drawn(simulated) && real.text!.length === simulated.text!.length
}

/** Compares ACL LOG without the age and the CLIENT INFO of each entry. */
function sameLog(real: ReplyNode, simulated: ReplyNode): boolean {
  const masked = (node: ReplyNode) =>
    canonical({
      ...node,
      items: node.items.map((entry) => ({ ...entry, items: entry.items.filter((_, at) => at !== 11 && at !== 13) })),
    })
  return masked(real) === masked(simulated)
}

/**
 * Cursors and portions depend on the server. If a single call completed the scan, the items must be
 * the same.
 */
function sameScan(real: ReplyNode, simulated: ReplyNode, args: readonly string[]): boolean {
  const from = args[0]!.toLowerCase() === 'scan' ? args[1] : args[2]
  const [realCursor, realItems] = real.items
  const [cursor, items] = simulated.items
  if (realCursor === undefined || cursor === undefined) return false
  if (from !== '0' || realCursor.text !== '0' || cursor.text !== '0') return true
  return sameItems(realItems!, items!)
}

/**
 * Expired keys are counted until the background cycle finds them. The cycles of the two servers do
 * not run at the same moment.
 */
function countsExpired(
  real: ReplyNode,
  simulated: ReplyNode,
  _args: readonly string[],
  database: Database | null,
): boolean {
  if (database !== null && database.state.expired === 0) {
    if (![...database.entries.keys()].some((key) => database.isExpired(key))) return false
  }
  const excess = Number(real.text) - Number(simulated.text)
  return real.sign === ':' && simulated.sign === ':' && Math.abs(excess) <= 20
}

function near(tolerance: number): Rule {
  return (real, simulated) => {
    if (real.sign !== ':' || simulated.sign !== ':') return false
    const [a, b] = [Number(real.text), Number(simulated.text)]
    return a >= 0 && b >= 0 && Math.abs(a - b) <= tolerance
  }
}

/**
 * Small integers are shared objects in real Redis, so any use of the number resets the idle time.
 */
function idleTime(real: ReplyNode, simulated: ReplyNode, args: readonly string[], database: Database | null): boolean {
  const entry = database?.entries.get(args[2]!)
  const shared = entry === undefined || referenceCount(entry) > 1
  return near(shared ? 86400 : 1)(real, simulated, args, database)
}

function sameTime(real: ReplyNode, simulated: ReplyNode): boolean {
  const us = (node: ReplyNode) => Number(node.items[0]?.text) * 1e6 + Number(node.items[1]?.text)
  return (
    real.items.length === 2 && simulated.items.length === 2 && Math.abs(us(real) - us(simulated)) < toleranceMs * 1000
  )
}

/** Splits off a clock value in milliseconds or microseconds at the end of a text. */
function timeAtEnd({ text }: ReplyNode): { before: string; time: number } | null {
  const match = /^(.*?)(\d{4,})$/s.exec(text ?? '')
  return match === null ? null : { before: match[1]!, time: Number(match[2]) }
}

/** True if the replies are equal except for clock values and the ids of the servers. */
export function sameButTimes(real: ReplyNode, simulated: ReplyNode): boolean {
  if (real.sign !== simulated.sign || real.items.length !== simulated.items.length) return false
  if (real.text !== simulated.text && !(isServerName(real) && isServerName(simulated))) {
    const [a, b] = [timeAtEnd(real), timeAtEnd(simulated)]
    if (a === null || b === null || a.before !== b.before) return false
    if (Math.abs(a.time - b.time) > toleranceMs * (a.time > 1e15 ? 1000 : 1)) return false
  }
  return real.items.every((item, at) => sameButTimes(item, simulated.items[at]!))
}

/** Replies must be equal except for idle times, at the positions that `isIdle` selects. */
function sameButIdle(isIdle: (node: ReplyNode, at: number) => boolean): Rule {
  const same = (real: ReplyNode, simulated: ReplyNode): boolean =>
    real.sign === simulated.sign &&
    real.text === simulated.text &&
    real.items.length === simulated.items.length &&
    real.items.every((item, at) => {
      const other = simulated.items[at]!
      if (!isIdle(real, at) || item.sign !== ':' || other.sign !== ':') return same(item, other)
      return Math.abs(Number(item.text) - Number(other.text)) <= toleranceMs
    })
  return same
}

function isServerName({ text }: ReplyNode): boolean {
  return text !== null && /^[0-9a-f]{40}$/.test(text)
}

/** Compares replies without memory addresses, which a printed Lua table or function contains. */
function sameButAddresses(real: ReplyNode, simulated: ReplyNode): boolean {
  const masked = (node: ReplyNode) => canonical(node).replace(/\b(table|function|thread|userdata): 0x[0-9a-f]+/g, '$1')
  return masked(real) === masked(simulated)
}
