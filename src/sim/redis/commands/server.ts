/** What concerns the server as a whole: INFO, TIME, ROLE, WAIT, OBJECT and the like. */
import { ErrorReply, VerbatimReply } from '../../lua/reply.ts'
import { type Answer, type Handlers, noReply } from '../command.ts'
import { unsupported } from '../dispatch.ts'
import { syntaxError } from '../errors.ts'
import { info } from '../info.ts'
import { describeValue } from '../keyspace/describe.ts'
import { encodingOf, referenceCount } from '../keyspace/encoding.ts'
import type { Entry } from '../keyspace/entry.ts'
import type { Session } from '../session.ts'
import { busy } from '../trouble.ts'
import { integer } from './arguments.ts'

function time(session: Session): Answer {
  const nowUs = session.server.environment.nowUs()
  return [String(Math.floor(nowUs / 1e6)), String(nowUs % 1e6)]
}

function object(read: (entry: Entry, session: Session) => Answer) {
  return (session: Session, args: readonly string[]): Answer => {
    const { database } = session
    const entry = database.peek(args[2]!)
    // Counted, and not told as a miss.
    if (entry === undefined) database.state.misses++
    else database.state.hits++
    return entry === undefined ? null : read(entry, session)
  }
}

const noFrequency = new ErrorReply(
  'ERR An LFU maxmemory policy is not selected, access frequency not tracked. Please note that when switching between policies at runtime LRU and LFU data will take some time to adjust.',
)

/** An estimate: memory is not counted, and the run is marked as unsupported. */
function memoryUsage(session: Session, args: readonly string[]): Answer {
  if (args.length > 3) {
    if (args[3]!.toLowerCase() !== 'samples' || args.length !== 5) return syntaxError
    const samples = integer(args[4]!)
    if (samples instanceof ErrorReply) return samples
    if (samples < 0) return syntaxError
  }
  session.server.environment.unsupported('MEMORY USAGE')
  const entry = session.database.peek(args[2]!)
  if (entry === undefined) return null
  return 56 + args[2]!.length + JSON.stringify(describeValue(entry)).length
}

/** Nothing is saved: what SAVE would keep is what the server's owner keeps of its disk. */
function shutdown(session: Session, args: readonly string[]): Answer {
  const { server } = session
  const words = new Set(args.slice(1).map((word) => word.toLowerCase()))
  for (const word of words) if (!['save', 'nosave', 'now', 'force', 'abort'].includes(word)) return syntaxError
  if ((words.has('abort') && words.size > 1) || (words.has('save') && words.has('nosave'))) return syntaxError
  if (words.has('abort')) return new ErrorReply('ERR No shutdown in progress.')
  if (server.longScript !== null && !words.has('nosave')) return busy[server.trouble.busyWith]
  if (server.environment.exit === undefined) return unsupported(session, session.command!, args)
  server.environment.exit()
  return noReply
}

export const serverHandlers: Handlers = {
  shutdown,
  time,
  info: (session, args) => new VerbatimReply('txt', info(session.server, args.slice(1))),
  'memory|usage': memoryUsage,
  'object|encoding': object(encodingOf),
  'object|refcount': object(referenceCount),
  'object|freq': object(() => noFrequency),
  /** Whole seconds, by a clock that ticks in seconds. */
  'object|idletime': object(
    (entry, session) => Math.floor(session.server.keyspace.state.nowMs / 1000) - Math.floor(entry.accessedMs / 1000),
  ),
}
