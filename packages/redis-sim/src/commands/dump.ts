/**
 * DUMP and RESTORE. MIGRATE, which connects to other servers, is not simulated. Source: cluster.c
 * of Redis 7.0.
 */

import type { Answer, Handlers } from '../command.ts'
import { loadValue, opened } from '../dump/load-value.ts'
import { dump } from '../dump/save-value.ts'
import { syntaxError } from '../errors.ts'
import { asInt64, type Int64 } from '../numbers/int64.ts'
import { ErrorReply, OK } from '../resp/reply.ts'
import type { Session } from '../session.ts'
import { integer } from './arguments.ts'

const busyKey = new ErrorReply('BUSYKEY Target key name already exists.')
const negativeTtl = new ErrorReply('ERR Invalid TTL value, must be >= 0')
const negativeIdle = new ErrorReply('ERR Invalid IDLETIME value, must be >= 0')
const badFrequency = new ErrorReply('ERR Invalid FREQ value, must be >= 0 and <= 255')
export const badChecksum = new ErrorReply('ERR DUMP payload version or checksum are wrong')
const badFormat = new ErrorReply('ERR Bad data format')

interface Options {
  replace: boolean
  absolute: boolean
  /** Seconds. */
  idle: number | null
  /** Access counter of LFU policies, which are not simulated. */
  frequency: number | null
}

function parseOptions(args: readonly string[]): Options | ErrorReply {
  const options: Options = { replace: false, absolute: false, idle: null, frequency: null }
  for (let at = 4; at < args.length; at++) {
    const word = args[at]!.toLowerCase()
    if (word === 'replace') options.replace = true
    else if (word === 'absttl') options.absolute = true
    else if (word === 'idletime' && at + 1 < args.length && options.frequency === null) {
      const idle = integer(args[++at]!)
      if (idle instanceof ErrorReply) return idle
      if (idle < 0) return negativeIdle
      options.idle = Number(idle)
    } else if (word === 'freq' && at + 1 < args.length && options.idle === null) {
      const frequency = integer(args[++at]!)
      if (frequency instanceof ErrorReply) return frequency
      if (frequency < 0 || frequency > 255) return badFrequency
      options.frequency = Number(frequency)
    } else return syntaxError
  }
  return options
}

function restore(session: Session, args: readonly string[]): Answer {
  const { database, server } = session
  const [, key, ttlText, payload] = args as [string, string, string, string]
  const options = parseOptions(args)
  if (options instanceof ErrorReply) return options
  if (!options.replace && database.get(key) !== undefined) return busyKey
  const ttl = integer(ttlText)
  if (ttl instanceof ErrorReply) return ttl
  if (ttl < 0) return negativeTtl
  const body = opened(payload)
  if (body === null) return badChecksum
  const entry = loadValue(body, server.config)
  if (entry === undefined) return badFormat
  // The previous key is removed without a check for expiry, because the check would also propagate
  // a DEL. Replicas only receive the RESTORE.
  const deleted = options.replace && database.remove(key)
  const deadline: Int64 = options.absolute || ttl === 0 ? ttl : asInt64(BigInt(ttl) + BigInt(database.state.nowMs))
  if (ttl !== 0 && database.isPast(deadline)) {
    if (deleted) database.touched(key, 'g', 'del')
    return OK
  }
  if (ttl !== 0) entry.expireAtMs = deadline
  database.put(key, entry)
  if (options.idle !== null) entry.accessedMs = database.state.nowMs - options.idle * 1000
  database.touched(key, 'g', 'restore')
  return OK
}

export const dumpHandlers: Handlers = {
  dump: ({ database, server }, args) => {
    const entry = database.read(args[1]!)
    return entry === undefined ? null : dump(entry, server.config.listMaxListpackSize)
  },
  restore,
  'restore-asking': restore,
}
