/**
 * CONFIG GET, SET and RESETSTAT, for simulated parameters and for those without an effect on
 * clients.
 */

import type { Answer, Handlers } from '../command.ts'
import { cString, syntaxError } from '../errors.ts'
import { matchesGlob } from '../glob.ts'
import { usedMemory } from '../info.ts'
import type { Parameter } from '../parameter-kinds.ts'
import { inertParameters, parameters } from '../parameters.ts'
import { ErrorReply, MapReply, OK } from '../resp/reply.ts'
import type { Session } from '../session.ts'

function read(session: Session, name: string): string | undefined {
  const parameter = parameters[name]
  if (parameter !== undefined) return parameter.read(session.server.config)
  return session.server.inertParameters.get(name) ?? inertParameters[name]?.initial
}

function get(session: Session, args: readonly string[]): Answer {
  const found = new Map<string, string>()
  for (const pattern of args.slice(2)) {
    if (!/[[*?]/.test(pattern)) {
      const value = read(session, pattern.toLowerCase())
      if (value !== undefined) found.set(pattern, value)
      continue
    }
    for (const name of [...Object.keys(parameters), ...Object.keys(inertParameters)]) {
      if (inertParameters[name]?.hidden !== true && matchesGlob(pattern.toLowerCase(), name))
        found.set(name, read(session, name)!)
    }
  }
  return new MapReply([...found].flat())
}

function set(session: Session, args: readonly string[]): Answer {
  if (args.length % 2 === 1) return syntaxError
  const changes = new Map<string, string>()
  for (let at = 2; at < args.length; at += 2) {
    const name = args[at]!.toLowerCase()
    if (read(session, name) === undefined) {
      return new ErrorReply(`ERR Unknown option or number of arguments for CONFIG SET - '${cString(args[at]!)}'`)
    }
    if ((parameters[name] ?? inertParameters[name])?.immutable) return failed(args[at]!, "can't set immutable config")
    if (changes.has(name)) return failed(args[at]!, 'duplicate parameter')
    changes.set(name, args[at + 1]!)
  }
  return apply(session, changes)
}

function apply(session: Session, changes: ReadonlyMap<string, string>): Answer {
  const { config, environment, inertParameters: inert } = session.server
  for (const [name, value] of changes) {
    const problem = (parameters[name] ?? inertParameters[name])?.problem(value)
    if (problem !== undefined) return failed(name, problem)
  }
  for (const [name, value] of changes) {
    const parameter: Parameter | undefined = parameters[name]
    if (parameter !== undefined) {
      parameter.write(config, value)
      if (name === 'notify-keyspace-events') session.server.listenToKeys()
      if (name === 'maxmemory') limitMemory(session)
      else session.server.configChanged(name)
    } else {
      const kept = inertParameters[name]!.kept?.(value) ?? value
      if (kept !== read(session, name) && effective.has(name)) environment.unsupported(`CONFIG SET ${name}`)
      inert.set(name, kept)
    }
  }
  return OK
}

/** Parameters that are not simulated although they affect the clients of a real server. */
const effective = new Set(['timeout'])

/**
 * Memory use is not simulated: `used_memory` of INFO is a constant. A limit below this constant is
 * always exceeded. Then a policy `allkeys-…` evicts all keys once, and the server stays out of
 * memory.
 */
function limitMemory({ server }: Session): void {
  const { maxmemory, maxmemoryPolicy } = server.config
  server.degraded.outOfMemory = maxmemory !== 0 && maxmemory < usedMemory
  if (maxmemory === 0 || maxmemoryPolicy === 'noeviction') return
  server.environment.unsupported('eviction by maxmemory')
  if (server.degraded.outOfMemory && maxmemoryPolicy.startsWith('allkeys')) server.evict(() => true)
}

function failed(name: string, reason: string): ErrorReply {
  return new ErrorReply(`ERR CONFIG SET failed (possibly related to argument '${cString(name)}') - ${reason}`)
}

export const configHandlers: Handlers = {
  'config|get': get,
  'config|set': set,
  /** Always succeeds, as if the server had been started with a configuration file. */
  'config|rewrite': ({ server }) => {
    server.savedConfig = { ...server.config }
    return OK
  },
  'config|resetstat': ({ server }) => {
    Object.assign(server.keyspace.state, { hits: 0, misses: 0, expired: 0 })
    server.commandsExecuted = 0
    server.errorCounts.reset()
    server.commandCounts.reset()
    server.connectionsReceived = 0
    return OK
  },
}
