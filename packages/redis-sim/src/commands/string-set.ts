/** SET with all options, its older forms, and GETEX, which shares the options. */

import type { Answer, Handlers } from '../command.ts'
import { invalidExpire, syntaxError } from '../errors.ts'
import { StringEntry } from '../keyspace/entry.ts'
import { addInt64, type Int64, multiplyInt64 } from '../numbers/int64.ts'
import { ErrorReply, OK, type Reply } from '../resp/reply.ts'
import type { Session } from '../session.ts'
import { integer } from './arguments.ts'
import { getString } from './strings.ts'

interface SetOptions {
  onlyIf: 'absent' | 'present' | undefined
  get: boolean
  keepTtl: boolean
  persist: boolean
  expire: { readonly unit: 'ex' | 'px' | 'exat' | 'pxat'; readonly text: string } | undefined
}

const noOptions: SetOptions = { onlyIf: undefined, get: false, keepTtl: false, persist: false, expire: undefined }

function set(session: Session, args: readonly string[]): Answer {
  if (args.length === 3) {
    store(session, args[1]!, args[2]!, -1)
    return OK
  }
  const options = parseOptions(args, 3, 'set')
  if (options instanceof ErrorReply) return options
  return setWith(session, args[1]!, args[2]!, options, OK, null)
}

function setWith(
  session: Session,
  key: string,
  value: string,
  options: SetOptions,
  done: Reply,
  refused: Reply,
): Answer {
  let expireAtMs: Int64 = -1
  if (options.expire !== undefined) {
    const deadline = parseDeadline(session, options.expire)
    if (deadline instanceof ErrorReply) return deadline
    expireAtMs = deadline
  }
  let before: string | null = null
  if (options.get) {
    const previous = getString(session, key)
    if (previous instanceof ErrorReply) return previous
    before = previous
  }
  const existing = session.database.get(key)
  if (options.onlyIf === (existing === undefined ? 'present' : 'absent')) return options.get ? before : refused
  store(
    session,
    key,
    value,
    options.keepTtl && existing !== undefined ? existing.expireAtMs : expireAtMs,
    options.keepTtl,
  )
  return options.get ? before : done
}

/** Stores the value under the key, whatever the key held before. */
function store(session: Session, key: string, value: string, expireAtMs: Int64, keepsTtl = false): void {
  const { database } = session
  const existing = database.get(key)
  if (existing !== undefined && existing.type === 'string') {
    existing.text = value
    existing.origin = 'auto'
    existing.expireAtMs = expireAtMs
  } else {
    const entry = new StringEntry(value)
    entry.expireAtMs = expireAtMs
    database.put(key, entry)
  }
  database.touched(key, '$', 'set')
  if (expireAtMs !== -1 && !keepsTtl) database.notify('g', 'expire', key)
}

function parseOptions(args: readonly string[], from: number, command: 'set' | 'getex'): SetOptions | ErrorReply {
  const options = { ...noOptions }
  const setting = command === 'set'
  for (let at = from; at < args.length; at++) {
    const word = args[at]!.toLowerCase()
    const untimed = options.expire === undefined && !options.keepTtl && !options.persist
    if (setting && word === 'nx' && options.onlyIf !== 'present') options.onlyIf = 'absent'
    else if (setting && word === 'xx' && options.onlyIf !== 'absent') options.onlyIf = 'present'
    else if (setting && word === 'get') options.get = true
    else if (setting && word === 'keepttl' && options.expire === undefined) options.keepTtl = true
    else if (!setting && word === 'persist' && options.expire === undefined) options.persist = true
    else if (word === 'ex' || word === 'px' || word === 'exat' || word === 'pxat') {
      // The same unit may be repeated (the last value wins); two different units may not be
      // combined.
      if (!untimed && options.expire?.unit !== word) return syntaxError
      if (at + 1 === args.length) return syntaxError
      options.expire = { unit: word, text: args[++at]! }
    } else return syntaxError
  }
  return options
}

/** Returns milliseconds since the epoch. Source: getExpireMillisecondsOrReply of Redis 7.0. */
function parseDeadline(session: Session, { unit, text }: NonNullable<SetOptions['expire']>): Int64 | ErrorReply {
  const value = integer(text)
  if (value instanceof ErrorReply) return value
  const { fullName } = session.command!
  if (value <= 0) return invalidExpire(fullName)
  const inMs = unit === 'ex' || unit === 'exat' ? multiplyInt64(value, 1000) : value
  if (inMs === undefined) return invalidExpire(fullName)
  const relative = unit === 'ex' || unit === 'px'
  return (relative ? addInt64(inMs, session.server.keyspace.state.nowMs) : inMs) ?? invalidExpire(fullName)
}

function getex(session: Session, args: readonly string[]): Answer {
  const options = parseOptions(args, 2, 'getex')
  if (options instanceof ErrorReply) return options
  const key = args[1]!
  const value = getString(session, key)
  if (typeof value !== 'string') return value
  const { database } = session
  const entry = database.get(key)!
  if (options.expire !== undefined) {
    const deadline = parseDeadline(session, options.expire)
    if (deadline instanceof ErrorReply) return deadline
    const absolute = options.expire.unit === 'exat' || options.expire.unit === 'pxat'
    if (absolute && database.isPast(deadline)) {
      database.remove(key)
      database.touched(key, 'g', 'del')
    } else {
      entry.expireAtMs = deadline
      database.touched(key, 'g', 'expire')
    }
  } else if (options.persist && entry.expireAtMs !== -1) {
    entry.expireAtMs = -1
    database.touched(key, 'g', 'persist')
  }
  return value
}

function getset(session: Session, [, key, value]: readonly string[]): Answer {
  const before = getString(session, key!)
  if (before instanceof ErrorReply) return before
  store(session, key!, value!, -1)
  return before
}

export const stringSetHandlers: Handlers = {
  set,
  getex,
  getset,
  setnx: (session, args) => setWith(session, args[1]!, args[2]!, { ...noOptions, onlyIf: 'absent' }, 1, 0),
  setex: (session, args) =>
    setWith(session, args[1]!, args[3]!, { ...noOptions, expire: { unit: 'ex', text: args[2]! } }, OK, null),
  psetex: (session, args) =>
    setWith(session, args[1]!, args[3]!, { ...noOptions, expire: { unit: 'px', text: args[2]! } }, OK, null),
}
