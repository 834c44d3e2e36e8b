/** EVAL and its variants, and SCRIPT. Source: eval.c and script.c of Redis 7.0. */

import type { Answer, Handlers } from '../command.ts'
import { noScript } from '../errors.ts'
import { type CompiledScript, flushLuaMemory } from '../lua/index.ts'
import { ErrorReply, OK } from '../resp/reply.ts'
import { killScript } from '../scripting/long-script.ts'
import type { Session } from '../session.ts'
import { integer } from './arguments.ts'

function evaluate(
  session: Session,
  args: readonly string[],
  find: (session: Session, name: string) => CompiledScript | ErrorReply,
  readOnly: boolean,
): Answer {
  if (session.server.monitors.any) session.server.monitors.scriptBegins(session, args)
  const parsed = integer(args[2]!)
  if (parsed instanceof ErrorReply) return parsed
  if (parsed > args.length - 3) return new ErrorReply("ERR Number of keys can't be greater than number of args")
  if (parsed < 0) return new ErrorReply("ERR Number of keys can't be negative")
  const script = find(session, args[1]!)
  if (script instanceof ErrorReply) return script
  const declaredReadOnly = script.flags?.includes('no-writes') ?? false
  if (readOnly && script.flags !== null && !declaredReadOnly) {
    return new ErrorReply('ERR Can not execute a script with write flag using *_ro command.')
  }
  return session.server.scriptHost.run(script, session, args, Number(parsed), readOnly || declaredReadOnly)
}

function byBody({ server }: Session, body: string): CompiledScript | ErrorReply {
  return server.scripts.load(body)
}

function bySha({ server }: Session, sha: string): CompiledScript | ErrorReply {
  return server.scripts.find(sha) ?? server.scripts.find(sha.toLowerCase()) ?? noScript
}

function evalsha(readOnly: boolean) {
  return (session: Session, args: readonly string[]): Answer =>
    args[1]!.length === 40 ? evaluate(session, args, bySha, readOnly) : noScript
}

function load(session: Session, args: readonly string[]): Answer {
  const script = byBody(session, args[2]!)
  return script instanceof ErrorReply ? script : script.sha
}

function flush(session: Session, args: readonly string[]): Answer {
  if (args.length > 3 || (args.length === 3 && !/^a?sync$/i.test(args[2]!))) {
    return new ErrorReply('ERR SCRIPT FLUSH only support SYNC|ASYNC option')
  }
  session.server.scripts.flush()
  flushLuaMemory(session.server.scriptHost.memory)
  return OK
}

export const scriptingHandlers: Handlers = {
  eval: (session, args) => evaluate(session, args, byBody, false),
  eval_ro: (session, args) => evaluate(session, args, byBody, true),
  evalsha: evalsha(false),
  evalsha_ro: evalsha(true),
  'script|load': load,
  'script|exists': (session, args) =>
    args.slice(2).map((sha) => (session.server.scripts.find(sha.toLowerCase()) === undefined ? 0 : 1)),
  'script|flush': flush,
  'script|kill': ({ server }) => killScript(server, 'script'),
}
