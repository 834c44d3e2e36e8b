/**
 * FUNCTION and FCALL on a server that has no functions: what asks for them finds none. FUNCTION LOAD and RESTORE are
 * not simulated. Source: functions.c of Redis 7.0.
 */
import { ErrorReply, MapReply, OK } from '../../lua/reply.ts'
import type { Answer, Handlers } from '../command.ts'
import { cString, subcommandSyntax } from '../errors.ts'
import type { Session } from '../session.ts'

const noFunction = new ErrorReply('ERR Function not found')

function flush(_session: Session, args: readonly string[]): Answer {
  if (args.length > 3) return subcommandSyntax(args)
  if (args.length === 2 || /^a?sync$/i.test(args[2]!)) return OK
  return new ErrorReply('ERR FUNCTION FLUSH only supports SYNC|ASYNC option')
}

function list(_session: Session, args: readonly string[]): Answer {
  const given = new Set<string>()
  for (let at = 2; at < args.length; at++) {
    const word = args[at]!.toLowerCase()
    if (given.has(word) || (word !== 'withcode' && word !== 'libraryname')) {
      return new ErrorReply(`ERR Unknown argument ${cString(args[at]!)}`)
    }
    given.add(word)
    if (word === 'libraryname' && ++at === args.length) return new ErrorReply('ERR library name argument was not given')
  }
  return []
}

const stats = new MapReply([
  ...['running_script', null],
  ...['engines', new MapReply(['LUA', new MapReply(['libraries_count', 0, 'functions_count', 0])])],
])

export const functionHandlers: Handlers = {
  'function|flush': flush,
  'function|list': list,
  'function|stats': () => stats,
  'function|delete': () => new ErrorReply('ERR Library not found'),
  'function|kill': () => new ErrorReply('NOTBUSY No scripts in execution right now.'),
  fcall: () => noFunction,
  fcall_ro: () => noFunction,
}
