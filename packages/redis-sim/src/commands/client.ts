/** CLIENT. CLIENT KILL is in client-kill.ts, tracking in client-tracking.ts. */

import { type Answer, type Handlers, noReply } from '../command.ts'
import { cString, subcommandSyntax, syntaxError } from '../errors.ts'
import { parseInt64 } from '../numbers/int64.ts'
import { ErrorReply, OK, VerbatimReply } from '../resp/reply.ts'
import type { Session } from '../session.ts'
import { integer, timeoutMs } from './arguments.ts'
import { setClientName } from './connection.ts'

export type ClientType = 'normal' | 'replica' | 'pubsub' | 'master'

/** Parses the client type of CLIENT LIST and CLIENT KILL. */
export function clientType(name: string): ClientType | ErrorReply {
  const known = /^(normal|slave|replica|pubsub|master)$/i.exec(name)
  if (known === null) return new ErrorReply(`ERR Unknown client type '${cString(name)}'`)
  const type = known[0].toLowerCase()
  return type === 'slave' ? 'replica' : (type as ClientType)
}

export function typeOf(session: Session): ClientType {
  if (session.replica !== null) return 'replica'
  return session.isSubscriber ? 'pubsub' : 'normal'
}

const none: ReadonlySet<string> = new Set()

/** The flags in the order in which real Redis prints them. */
function flagsOf(session: Session): string {
  const { server, id, replica, monitoring, isSubscriber, queue, tracked, watchBroken, readsReplica, noEvict } = session
  const given: readonly (readonly [string, boolean])[] = [
    ['O', monitoring],
    ['S', replica !== null],
    ['P', isSubscriber],
    ['x', queue !== null],
    ['b', server.connections.get(id)?.isBlocked === true],
    ['t', tracked !== null],
    ['R', tracked?.broken === true],
    ['B', tracked?.has('bcast') === true],
    ['d', watchBroken],
    ['r', readsReplica],
    ['e', noEvict],
  ]
  return given.map(([letter, is]) => (is ? letter : '')).join('') || 'N'
}

/** One line of CLIENT LIST. The memory and buffer figures are arbitrary constants. */
export function describeClient(session: Session): string {
  const age = Math.floor((session.server.keyspace.state.nowMs - session.createdMs) / 1000)
  const { channels, patterns, shards } = session.subscribed ?? { channels: none, patterns: none, shards: none }
  return [
    `id=${session.id} addr=${session.address} laddr=127.0.0.1:${session.server.config.port} fd=${session.id + 5}`,
    `name=${session.name} age=${age} idle=0 flags=${flagsOf(session)} db=${session.database.index}`,
    `sub=${channels.size} psub=${patterns.size} ssub=${shards.size}`,
    `multi=${session.queue === null ? -1 : session.queue.length} qbuf=26 qbuf-free=20448 argv-mem=10 multi-mem=0`,
    `rbs=1024 rbp=0 obl=0 oll=0 omem=0 tot-mem=22298 events=r cmd=${session.sent?.fullName ?? 'NULL'}`,
    `user=${session.user.name} redir=${session.tracked?.redirect ?? -1} resp=${session.resp}`,
  ].join(' ')
}

function list(session: Session, args: readonly string[]): Answer {
  let sessions = [...session.server.connections.values()].map((connection) => connection.session)
  if (args.length === 4 && args[2]!.toLowerCase() === 'type') {
    const type = clientType(args[3]!)
    if (type instanceof ErrorReply) return type
    sessions = sessions.filter((other) => typeOf(other) === type)
  } else if (args.length > 3 && args[2]!.toLowerCase() === 'id') {
    const ids = args.slice(3).map(parseInt64)
    if (ids.includes(undefined)) return new ErrorReply('ERR Invalid client ID')
    sessions = ids.flatMap((id) => sessions.find((other) => other.id === id) ?? [])
  } else if (args.length !== 2) return syntaxError
  return new VerbatimReply('txt', sessions.map((other) => `${describeClient(other)}\n`).join(''))
}

function reply(session: Session, args: readonly string[]): Answer {
  const mode = args[2]!.toLowerCase()
  if (!['on', 'off', 'skip'].includes(mode)) return syntaxError
  if (session.denyBlocking && mode !== 'on') {
    session.server.environment.unsupported('CLIENT REPLY in MULTI')
    return syntaxError
  }
  if (mode === 'on') {
    session.replies = 'on'
    return OK
  }
  if (mode === 'off') session.replies = 'off'
  else if (session.replies !== 'off') session.replies = 'skip-next'
  return noReply
}

function noEvict(session: Session, args: readonly string[]): Answer {
  if (!/^(on|off)$/i.test(args[2]!)) return syntaxError
  session.noEvict = args[2]!.toLowerCase() === 'on'
  return OK
}

function unblock(session: Session, args: readonly string[]): Answer {
  if (args.length > 4) return subcommandSyntax(args)
  const how = args[3]?.toLowerCase() ?? 'timeout'
  if (how !== 'timeout' && how !== 'error') {
    return new ErrorReply('ERR CLIENT UNBLOCK reason should be TIMEOUT or ERROR')
  }
  const id = integer(args[2]!)
  if (id instanceof ErrorReply) return id
  return session.server.connections.get(Number(id))?.unblock(how) ? 1 : 0
}

function pause({ server }: Session, args: readonly string[]): Answer {
  if (args.length > 4) return subcommandSyntax(args)
  const what = args[3]?.toLowerCase() ?? 'all'
  if (what !== 'write' && what !== 'all') return new ErrorReply('ERR CLIENT PAUSE mode must be WRITE or ALL')
  const forMs = timeoutMs(args[2]!)
  if (forMs instanceof ErrorReply) return forMs
  server.pause.begin(what, forMs)
  return OK
}

export const clientHandlers: Handlers = {
  'client|id': (session) => session.id,
  'client|getname': (session) => (session.name === '' ? null : session.name),
  'client|setname': (session, args) => setClientName(session, args[2]!) ?? OK,
  'client|info': (session) => new VerbatimReply('txt', `${describeClient(session)}\n`),
  'client|list': list,
  'client|reply': reply,
  'client|no-evict': noEvict,
  'client|unblock': unblock,
  'client|pause': pause,
  'client|unpause': ({ server }) => {
    server.pause.end()
    return OK
  },
}
