/**
 * Commands about one connection: PING, HELLO, AUTH, SELECT, RESET, QUIT. CLIENT is in client.ts.
 */

import type { Answer, Handlers } from '../command.ts'
import { cString, databaseOutOfRange, syntaxError, wrongArity, wrongPassword } from '../errors.ts'
import { parseInt64 } from '../numbers/int64.ts'
import { ErrorReply, MapReply, OK, StatusReply } from '../resp/reply.ts'
import type { Session } from '../session.ts'
import { redisVersion } from '../version.ts'
import { smallInteger } from './arguments.ts'

const pong = new StatusReply('PONG')

function ping(session: Session, args: readonly string[]): Answer {
  if (args.length > 2) return wrongArity('ping')
  if (session.isSubscriber && session.resp === 2) return ['pong', args[1] ?? '']
  return args[1] ?? pong
}

function auth(session: Session, args: readonly string[]): Answer {
  if (args.length > 3) return syntaxError
  const { acl } = session.server
  if (args.length === 2 && acl.default.noPassword) {
    return new ErrorReply(
      'ERR AUTH <password> called without any password configured for the default user. Are you sure your configuration is correct?',
    )
  }
  const [user, password] = args.length === 2 ? ['default', args[1]!] : [args[1]!, args[2]!]
  return acl.authenticate(session, args, user, password) ? OK : wrongPassword
}

function hello(session: Session, args: readonly string[]): Answer {
  let version: 2 | 3 | undefined
  if (args.length >= 2) {
    const asked = parseInt64(args[1]!)
    if (asked === undefined) return new ErrorReply('ERR Protocol version is not an integer or out of range')
    if (asked !== 2 && asked !== 3) return new ErrorReply('NOPROTO unsupported protocol version')
    version = asked
  }
  const problem = applyHelloOptions(session, args)
  if (problem !== undefined) return problem
  if (!session.authenticated) return helloNeedsAuth
  if (version !== undefined) session.resp = version
  return new MapReply([
    ...['server', 'redis', 'version', redisVersion],
    ...['proto', session.resp, 'id', session.id],
    ...[
      'mode',
      session.server.cluster === null ? 'standalone' : 'cluster',
      'role',
      session.server.replication.link === null ? 'master' : 'replica',
    ],
    ...['modules', []],
  ])
}

const helloNeedsAuth = new ErrorReply(
  'NOAUTH HELLO must be called with the client already authenticated, otherwise the HELLO AUTH <user> <pass> option can be used to authenticate the client and select the RESP protocol version at the same time',
)

function applyHelloOptions(session: Session, args: readonly string[]): ErrorReply | undefined {
  for (let at = 2; at < args.length; at++) {
    const word = args[at]!.toLowerCase()
    const more = args.length - 1 - at
    if (word === 'auth' && more >= 2) {
      if (!session.server.acl.authenticate(session, args, args[at + 1]!, args[at + 2]!)) return wrongPassword
      at += 2
    } else if (word === 'setname' && more >= 1) {
      const problem = setClientName(session, args[++at]!)
      if (problem !== undefined) return problem
    } else {
      return new ErrorReply(`ERR Syntax error in HELLO option '${cString(args[at]!)}'`)
    }
  }
  return undefined
}

/** An empty name removes the name. */
export function setClientName(session: Session, name: string): ErrorReply | undefined {
  if (!/^[!-~]*$/.test(name)) {
    return new ErrorReply('ERR Client names cannot contain spaces, newlines or special characters.')
  }
  session.name = name
  return undefined
}

function select(session: Session, [, text]: readonly string[]): Answer {
  const index = smallInteger(text!)
  if (index instanceof ErrorReply) return index
  if (index !== 0 && session.server.cluster !== null) return new ErrorReply('ERR SELECT is not allowed in cluster mode')
  const database = session.server.keyspace.select(index)
  if (database === undefined) return databaseOutOfRange
  session.database = database
  return OK
}

export const connectionHandlers: Handlers = {
  ping,
  echo: (_session, args) => args[1]!,
  auth,
  hello,
  select,
  quit: (session) => {
    session.closeAfterReply = true
    return OK
  },
  reset: (session) => {
    session.reset()
    return new StatusReply('RESET')
  },
}
