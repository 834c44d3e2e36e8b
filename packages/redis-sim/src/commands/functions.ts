/** FUNCTION and FCALL. Source: functions.c of Redis 7.0. */

import type { Answer, Handlers } from '../command.ts'
import { busy } from '../degraded-state.ts'
import { BadBytes, ByteReader } from '../dump/bytes.ts'
import { opened } from '../dump/load-value.ts'
import { types } from '../dump/rdb-types.ts'
import { readString, writeString } from '../dump/rdb-values.ts'
import { sealed } from '../dump/save-value.ts'
import { cString, subcommandSyntax } from '../errors.ts'
import { matchesGlob } from '../glob.ts'
import type { LoadedFunction } from '../lua/index.ts'
import { parseInt64 } from '../numbers/int64.ts'
import { ErrorReply, MapReply, OK, type Reply, SetReply, StatusReply } from '../resp/reply.ts'
import { Libraries, type Library } from '../scripting/libraries.ts'
import { killScript } from '../scripting/long-script.ts'
import type { RedisServer } from '../server.ts'
import type { Session } from '../session.ts'
import { badChecksum } from './dump.ts'

function load({ server }: Session, args: readonly string[]): Answer {
  let replace = false
  for (const word of args.slice(2, -1)) {
    if (word.toLowerCase() !== 'replace') return new ErrorReply(`ERR Unknown option given: ${cString(word)}`)
    replace = true
  }
  const name = server.functionHost.load(args.at(-1)!, replace)
  if (!(name instanceof ErrorReply)) server.keyspace.state.changes++
  return name
}

function remove({ server }: Session, args: readonly string[]): Answer {
  if (!server.libraries.remove(args[2]!)) return new ErrorReply('ERR Library not found')
  server.keyspace.state.changes++
  return OK
}

function flush({ server }: Session, args: readonly string[]): Answer {
  if (args.length > 3) return subcommandSyntax(args)
  if (args.length === 3 && !/^a?sync$/i.test(args[2]!)) {
    return new ErrorReply('ERR FUNCTION FLUSH only supports SYNC|ASYNC option')
  }
  server.libraries.flush()
  server.keyspace.state.changes++
  return OK
}

function list({ server }: Session, args: readonly string[]): Answer {
  let withCode = false
  let pattern: string | undefined
  for (let at = 2; at < args.length; at++) {
    const word = args[at]!.toLowerCase()
    if (word === 'withcode' && !withCode) withCode = true
    else if (word === 'libraryname' && pattern === undefined) {
      if (++at === args.length) return new ErrorReply('ERR library name argument was not given')
      pattern = args[at]!
    } else return new ErrorReply(`ERR Unknown argument ${cString(args[at]!)}`)
  }
  // Names match regardless of case.
  const wanted = (name: string) => pattern === undefined || matchesGlob(pattern.toLowerCase(), name.toLowerCase())
  const libraries = server.libraries.all().filter(({ name }) => wanted(name))
  return libraries.map((library) => describe(library, withCode))
}

function describe({ name, code, functions }: Library, withCode: boolean): Reply {
  return new MapReply([
    ...['library_name', name, 'engine', 'LUA', 'functions', functions.map(describeFunction)],
    ...(withCode ? ['library_code', code] : []),
  ])
}

function describeFunction({ functionName, description, flags }: LoadedFunction): Reply {
  const printed = new SetReply(flags.map((flag) => new StatusReply(flag)))
  return new MapReply(['name', functionName, 'description', description, 'flags', printed])
}

function stats({ server }: Session): Answer {
  const { longScript, keyspace, libraries } = server
  if (longScript?.functionName === null) return busy.script
  const running =
    longScript === null
      ? null
      : new MapReply([
          ...['name', longScript.functionName, 'command', longScript.command],
          ...['duration_ms', keyspace.state.nowMs - longScript.sinceMs],
        ])
  const counts = new MapReply(['libraries_count', libraries.size, 'functions_count', libraries.functionCount])
  return new MapReply(['running_script', running, 'engines', new MapReply(['LUA', counts])])
}

function call(readOnly: boolean) {
  return (session: Session, args: readonly string[]): Answer => {
    const { server } = session
    if (server.monitors.any) server.monitors.scriptBegins(session, args)
    const found = server.libraries.find(args[1]!)
    if (found === undefined) return new ErrorReply('ERR Function not found')
    const keyCount = parseInt64(args[2]!)
    if (keyCount === undefined) return new ErrorReply('ERR Bad number of keys provided')
    if (keyCount > args.length - 3) return new ErrorReply("ERR Number of keys can't be greater than number of args")
    if (keyCount < 0) return new ErrorReply("ERR Number of keys can't be negative")
    const noWrites = found.flags.includes('no-writes')
    if (readOnly && !noWrites) {
      return new ErrorReply('ERR Can not execute a script with write flag using *_ro command.')
    }
    return server.functionHost.run(found, session, args, Number(keyCount), noWrites)
  }
}

function dumpLibraries({ server }: Session): Answer {
  return sealed(
    server.libraries
      .all()
      .map(({ code }) => types.function2 + writeString(code))
      .join(''),
  )
}

function restoreLibraries({ server }: Session, args: readonly string[]): Answer {
  if (args.length > 4) return subcommandSyntax(args)
  const policy = args[3]?.toLowerCase() ?? 'append'
  if (!['append', 'replace', 'flush'].includes(policy)) {
    return new ErrorReply('ERR Wrong restore policy given, value should be either FLUSH, APPEND or REPLACE.')
  }
  const body = opened(args[2]!)
  if (body === null) return badChecksum
  const restored = readLibraries(server, body)
  if (restored instanceof ErrorReply) return restored
  if (policy === 'flush') server.libraries.flush()
  const problem = server.libraries.join(restored, policy === 'replace')
  if (problem !== undefined) return problem
  server.keyspace.state.changes++
  return OK
}

function readLibraries(server: RedisServer, body: string): Libraries | ErrorReply {
  const libraries = new Libraries()
  const reader = new ByteReader(body)
  while (!reader.isAtEnd) {
    if (reader.take(1) !== types.function2) return new ErrorReply('ERR given type is not a function')
    try {
      const name = server.functionHost.load(readString(reader), false, libraries)
      if (name instanceof ErrorReply) return name
    } catch (error) {
      if (error instanceof BadBytes) return new ErrorReply('ERR Failed loading library data')
      throw error
    }
  }
  return libraries
}

export const functionHandlers: Handlers = {
  'function|dump': dumpLibraries,
  'function|restore': restoreLibraries,
  'function|load': load,
  'function|delete': remove,
  'function|flush': flush,
  'function|list': list,
  'function|stats': stats,
  'function|kill': ({ server }) => killScript(server, 'function'),
  fcall: call(false),
  fcall_ro: call(true),
}
