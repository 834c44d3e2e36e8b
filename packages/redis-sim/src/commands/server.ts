/** Commands about the server: INFO, TIME, OBJECT, SHUTDOWN and others. */

import { type Answer, type Handlers, noReply } from '../command.ts'
import { busy } from '../degraded-state.ts'
import { unsupported } from '../dispatch.ts'
import { syntaxError } from '../errors.ts'
import { info } from '../info.ts'
import { encodingOf, referenceCount } from '../keyspace/encoding.ts'
import type { Entry } from '../keyspace/entry.ts'
import { isExact, memoryUsage } from '../memory-usage.ts'
import { ErrorReply } from '../resp/reply.ts'
import type { Session } from '../session.ts'
import { integer } from './arguments.ts'

function time(session: Session): Answer {
  const nowUs = session.server.environment.nowUs()
  return [String(Math.floor(nowUs / 1e6)), String(nowUs % 1e6)]
}

function object(read: (entry: Entry, session: Session) => Answer) {
  return (session: Session, args: readonly string[]): Answer => {
    const { database } = session
    const entry = database.peek(args[2]!)
    // Hits and misses are counted, but a missing key publishes no `keymiss` event.
    if (entry === undefined) database.state.misses++
    else database.state.hits++
    return entry === undefined ? null : read(entry, session)
  }
}

const noFrequency = new ErrorReply(
  'ERR An LFU maxmemory policy is not selected, access frequency not tracked. Please note that when switching between policies at runtime LRU and LFU data will take some time to adjust.',
)

const usualSamples = 5

/** MEMORY USAGE. Marks the run as unsupported if the figure is an estimate. */
function usage(session: Session, args: readonly string[]): Answer {
  let samples = usualSamples
  for (let at = 3; at < args.length; at += 2) {
    if (args[at]!.toLowerCase() !== 'samples' || args[at + 1] === undefined) return syntaxError
    const given = integer(args[at + 1]!)
    if (given instanceof ErrorReply) return given
    if (given < 0) return syntaxError
    samples = Number(given)
  }
  const key = args[2]!
  const entry = session.database.peek(key)
  if (entry === undefined) return null
  if (!isExact(entry)) session.server.environment.unsupported(`MEMORY USAGE of a ${entry.type}`)
  return memoryUsage(key, entry, samples)
}

/**
 * SHUTDOWN. Does not save a snapshot, because the owner of the server keeps the contents of its
 * disk.
 */
function shutdown(session: Session, args: readonly string[]): Answer {
  const { server } = session
  const words = new Set(args.slice(1).map((word) => word.toLowerCase()))
  for (const word of words) if (!['save', 'nosave', 'now', 'force', 'abort'].includes(word)) return syntaxError
  if ((words.has('abort') && words.size > 1) || (words.has('save') && words.has('nosave'))) return syntaxError
  if (words.has('abort')) return new ErrorReply('ERR No shutdown in progress.')
  if (server.longScript !== null && !words.has('nosave')) return busy[server.degraded.busyWith]
  if (server.environment.exit === undefined) return unsupported(session, session.command!, args)
  server.environment.exit()
  return noReply
}

export const serverHandlers: Handlers = {
  shutdown,
  time,
  info: (session, args) => info(session.server, args.slice(1)),
  'memory|usage': usage,
  /** Modules are not simulated. */
  'module|list': () => [],
  'object|encoding': object(encodingOf),
  'object|refcount': object(referenceCount),
  'object|freq': object(() => noFrequency),
  /** Whole seconds. Real Redis's LRU clock has a resolution of one second. */
  'object|idletime': object(
    (entry, session) => Math.floor(session.server.keyspace.state.nowMs / 1000) - Math.floor(entry.accessedMs / 1000),
  ),
}
