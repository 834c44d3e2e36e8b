/**
 * SORT and SORT_RO. Strings are compared by bytes, as in the C locale. Source: sort.c of Redis 7.0.
 */

import type { Handler, Handlers } from '../command.ts'
import { cString, syntaxError, wrongType } from '../errors.ts'
import { compareBytes, type Entry, ListEntry } from '../keyspace/entry.ts'
import { parseDouble } from '../numbers/double.ts'
import { ErrorReply, type Reply } from '../resp/reply.ts'
import type { Session } from '../session.ts'
import { integer } from './arguments.ts'
import { orderedMembers } from './scan.ts'

interface SortOptions {
  descending: boolean
  alphabetic: boolean
  offset: number
  /** A negative count means all. */
  count: number
  by: string | undefined
  readonly get: string[]
  store: string | undefined
}

function sort(readOnly: boolean): Handler {
  return (session, args) => {
    const options = parse(args, readOnly, session.server.cluster !== null)
    if (options instanceof ErrorReply) return options
    const entry = session.database.read(args[1]!)
    if (entry !== undefined && entry.type !== 'list' && entry.type !== 'set' && entry.type !== 'zset') return wrongType
    // Real Redis converts a sorted set to a skip list to sort it, and does not convert it back.
    if (entry?.type === 'zset') entry.compact = false
    const items = inOrder(session, entry, options)
    if (items instanceof ErrorReply) return items
    const start = Math.min(Math.max(options.offset, 0), items.length)
    const chosen = items.slice(start, options.count < 0 ? undefined : start + options.count)
    const output = chosen.flatMap((item) =>
      options.get.length === 0 ? [item] : options.get.map((pattern) => lookUp(session, pattern, item)),
    )
    return options.store === undefined ? output : store(session, options.store, output)
  }
}

const byInCluster = new ErrorReply('ERR BY option of SORT denied in Cluster mode.')
const getInCluster = new ErrorReply('ERR GET option of SORT denied in Cluster mode.')

function parse(args: readonly string[], readOnly: boolean, inCluster: boolean): SortOptions | ErrorReply {
  const options: SortOptions = {
    descending: false,
    alphabetic: false,
    offset: 0,
    count: -1,
    by: undefined,
    get: [],
    store: undefined,
  }
  for (let at = 2; at < args.length; at++) {
    const word = args[at]!.toLowerCase()
    const more = args.length - at - 1
    if (word === 'asc') options.descending = false
    else if (word === 'desc') options.descending = true
    else if (word === 'alpha') options.alphabetic = true
    else if (word === 'limit' && more >= 2) {
      const offset = integer(args[++at]!)
      if (offset instanceof ErrorReply) return offset
      const count = integer(args[++at]!)
      if (count instanceof ErrorReply) return count
      options.offset = Number(offset)
      options.count = Number(count)
    } else if (!readOnly && word === 'store' && more >= 1) options.store = args[++at]!
    else if (word === 'by' && more >= 1) {
      options.by = args[++at]!
      if (inCluster && cString(options.by).includes('*')) return byInCluster
    } else if (word === 'get' && more >= 1) {
      if (inCluster) return getInCluster
      options.get.push(args[++at]!)
    } else return syntaxError
  }
  return options
}

/**
 * Sorts the items. A BY pattern without `*` skips sorting, unless the key is a set and a script or
 * STORE uses the result: the order would then be random.
 */
function inOrder(session: Session, entry: Entry | undefined, options: SortOptions): string[] | ErrorReply {
  const { by, descending, store, alphabetic } = options
  const unsorted = by !== undefined && !cString(by).includes('*')
  if (unsorted && entry?.type === 'set' && (store !== undefined || session.id === 0)) {
    return sorted(session, orderedMembers(entry), undefined, true, descending)
  }
  const items = itemsOf(entry)
  if (!unsorted) return sorted(session, items, by, alphabetic, descending)
  return descending && entry?.type !== 'set' ? items.reverse() : items
}

function itemsOf(entry: Entry | undefined): string[] {
  if (entry?.type === 'list') return [...entry.items]
  if (entry?.type === 'zset') return [...entry.ordered()]
  return entry?.type === 'set' ? orderedMembers(entry) : []
}

function sorted(
  session: Session,
  items: readonly string[],
  by: string | undefined,
  alphabetic: boolean,
  descending: boolean,
): string[] | ErrorReply {
  const keyed = items.map((item) => ({ item, by: by === undefined ? item : lookUp(session, by, item) }))
  const sign = descending ? -1 : 1
  if (alphabetic) {
    keyed.sort((a, b) => sign * compareKeys(a.by, b.by))
    return keyed.map(({ item }) => item)
  }
  const scored = keyed.map(({ item, by: text }) => ({ item, score: text === null ? 0 : toScore(text) }))
  if (scored.some(({ score }) => Number.isNaN(score))) {
    return new ErrorReply("ERR One or more scores can't be converted into double")
  }
  scored.sort((a, b) => sign * (a.score - b.score || compareBytes(a.item, b.item)))
  return scored.map(({ item }) => item)
}

function compareKeys(a: string | null, b: string | null): number {
  if (a === null || b === null) return a === b ? 0 : a === null ? -1 : 1
  return compareBytes(a, b)
}

/** The number that C's strtod parses from the whole text; NaN if it does not parse all of it. */
function toScore(text: string): number {
  const given = cString(text).replace(/^[ \t-\r]+/, '')
  return cString(text) === '' ? 0 : (parseDouble(given) ?? Number.NaN)
}

/**
 * `#` is the item itself. Otherwise the item replaces the first `*`, and `->` selects a field of a
 * hash.
 */
function lookUp(session: Session, pattern: string, item: string): string | null {
  if (cString(pattern) === '#') return item
  const star = cString(pattern).indexOf('*')
  if (star === -1) return null
  const arrow = pattern.indexOf('->', star + 1)
  const hasField = arrow !== -1 && arrow + 2 < pattern.length
  const key = pattern.slice(0, star) + item + pattern.slice(star + 1, hasField ? arrow : undefined)
  const entry = session.database.read(key)
  if (hasField) return entry?.type === 'hash' ? (entry.fields.get(pattern.slice(arrow + 2)) ?? null) : null
  return entry?.type === 'string' ? entry.text : null
}

function store(session: Session, key: string, output: readonly (string | null)[]): Reply {
  const { database } = session
  if (output.length === 0) {
    if (database.remove(key)) database.touched(key, 'g', 'del')
    return 0
  }
  const list = new ListEntry()
  list.items = output.map((item) => item ?? '')
  database.put(key, list)
  database.touched(key, 'l', 'sortstore')
  return output.length
}

export const sortHandlers: Handlers = { sort: sort(false), sort_ro: sort(true) }
