/**
 * PFADD, PFCOUNT, PFMERGE, PFDEBUG. PFSELFTEST, which tests Redis itself, is not simulated. Source:
 * hyperloglog.c of Redis 7.0.
 */

import type { Answer, Handlers } from '../command.ts'
import { cString, wrongType } from '../errors.ts'
import { registerCount } from '../hyperloglog/element-hash.ts'
import { estimate, HyperLogLog, isHyperLogLog } from '../hyperloglog/hyperloglog.ts'
import type { Database } from '../keyspace/database.ts'
import { type Entry, StringEntry } from '../keyspace/entry.ts'
import { ErrorReply, OK, StatusReply } from '../resp/reply.ts'
import type { Session } from '../session.ts'

const notOne = new ErrorReply('WRONGTYPE Key is not a valid HyperLogLog string value.')
const corrupt = new ErrorReply('INVALIDOBJ Corrupted HLL object detected')

function read(entry: Entry): HyperLogLog | ErrorReply {
  if (entry.type !== 'string') return wrongType
  return isHyperLogLog(entry.text) ? HyperLogLog.read(entry.text) : notOne
}

/** Real Redis converts the string to the encoding `raw`, even if the string does not change. */
function unshare(entry: Entry): void {
  Object.assign(entry, { origin: 'raw' })
}

function store(entry: Entry, log: HyperLogLog): void {
  Object.assign(entry, { text: log.text })
}

function create(database: Database, key: string, log: HyperLogLog): StringEntry {
  const entry = new StringEntry(log.text, 'raw')
  database.put(key, entry)
  return entry
}

function add({ database, server }: Session, args: readonly string[]): Answer {
  const key = args[1]!
  const existing = database.get(key)
  const log = existing === undefined ? HyperLogLog.empty() : read(existing)
  if (log instanceof ErrorReply) return log
  const entry = existing ?? create(database, key, log)
  unshare(entry)
  let updated = existing === undefined ? 1 : 0
  for (const element of args.slice(2)) {
    const changed = log.add(element, server.config.hllSparseMaxBytes)
    if (changed === null) return corrupt
    if (changed) updated++
  }
  if (updated === 0) return 0
  log.forgetCount()
  store(entry, log)
  database.touched(key, '$', 'pfadd')
  database.state.changes += updated - 1
  return 1
}

/** The maximum of each register over all keys; missing keys count as empty. */
function union(database: Database, keys: readonly string[]): { registers: Uint8Array; dense: boolean } | ErrorReply {
  const registers = new Uint8Array(registerCount)
  let dense = false
  for (const key of keys) {
    const entry = database.read(key)
    if (entry === undefined) continue
    const log = read(entry)
    if (log instanceof ErrorReply) return log
    if (log.isDense) dense = true
    const others = log.registers
    if (others === null) return corrupt
    for (let at = 0; at < registerCount; at++) if (others[at]! > registers[at]!) registers[at] = others[at]!
  }
  return { registers, dense }
}

function count({ database }: Session, args: readonly string[]): Answer {
  if (args.length > 2) {
    const all = union(database, args.slice(1))
    return all instanceof ErrorReply ? all : estimate(all.registers)
  }
  const key = args[1]!
  const entry = database.read(key)
  if (entry === undefined) return 0
  const log = read(entry)
  if (log instanceof ErrorReply) return log
  unshare(entry)
  const kept = log.keptCount
  if (kept !== null) {
    const whole = Number(kept)
    return Number.isSafeInteger(whole) ? whole : BigInt.asIntN(64, kept)
  }
  const { registers } = log
  if (registers === null) return corrupt
  const counted = estimate(registers)
  log.keepCount(counted)
  store(entry, log)
  // The cached count is part of the value, so the data set has changed, although no key event is
  // published.
  database.state.changes++
  database.noticeWatchers(key)
  return counted
}

function merge({ database, server }: Session, args: readonly string[]): Answer {
  const all = union(database, args.slice(1))
  if (all instanceof ErrorReply) return all
  const key = args[1]!
  const existing = database.get(key)
  const log = existing === undefined ? HyperLogLog.empty() : (read(existing) as HyperLogLog)
  const entry = existing ?? create(database, key, log)
  unshare(entry)
  if (all.dense && !log.makeDense()) return corrupt
  for (let at = 0; at < registerCount; at++) {
    if (all.registers[at]! > 0) log.raise(at, all.registers[at]!, server.config.hllSparseMaxBytes)
  }
  log.forgetCount()
  store(entry, log)
  database.touched(key, '$', 'pfadd')
  return OK
}

function debug({ database }: Session, args: readonly string[]): Answer {
  const entry = database.get(args[2]!)
  if (entry === undefined) return new ErrorReply('ERR The specified key does not exist')
  const log = read(entry)
  if (log instanceof ErrorReply) return log
  unshare(entry)
  const word = args[1]!.toLowerCase()
  if (!['getreg', 'decode', 'encoding', 'todense'].includes(word)) {
    return new ErrorReply(`ERR Unknown PFDEBUG subcommand '${cString(args[1]!)}'`)
  }
  if (args.length !== 3) {
    return new ErrorReply(`ERR Wrong number of arguments for the '${cString(args[1]!)}' subcommand`)
  }
  if (word === 'encoding') return new StatusReply(log.isDense ? 'dense' : 'sparse')
  if (word === 'decode') return log.description ?? new ErrorReply('ERR HLL encoding is not sparse')
  const converted = !log.isDense
  if (!log.makeDense()) return corrupt
  store(entry, log)
  if (converted) database.state.changes++
  return word === 'todense' ? (converted ? 1 : 0) : [...log.registers!]
}

export const hyperLogLogHandlers: Handlers = { pfadd: add, pfcount: count, pfmerge: merge, pfdebug: debug }
