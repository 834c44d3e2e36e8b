/** EVAL and its variants, and SCRIPT. Source: eval.c and script.c of Redis 7.0. */
import type { CompiledScript } from '../../lua/host.ts'
import { ErrorReply, OK } from '../../lua/reply.ts'
import type { Answer, Handlers } from '../command.ts'
import { noScript } from '../errors.ts'
import { readShebang } from '../scripting/shebang.ts'
import type { Session } from '../session.ts'
import { integer } from './arguments.ts'

function evaluate(
  session: Session,
  args: readonly string[],
  find: () => CompiledScript | ErrorReply,
  readOnly: boolean,
): Answer {
  const parsed = integer(args[2]!)
  if (parsed instanceof ErrorReply) return parsed
  if (parsed > args.length - 3) return new ErrorReply("ERR Number of keys can't be greater than number of args")
  if (parsed < 0) return new ErrorReply("ERR Number of keys can't be negative")
  const script = find()
  if (script instanceof ErrorReply) return script
  const flags = script.body.charCodeAt(0) === 35 ? (readShebang(script.body) as { noWrites: boolean }) : null
  if (readOnly && flags !== null && !flags.noWrites) {
    return new ErrorReply('ERR Can not execute a script with write flag using *_ro command.')
  }
  const keys = args.slice(3, 3 + Number(parsed))
  const argv = args.slice(3 + Number(parsed))
  return session.server.scriptHost.run(script, session, keys, argv, readOnly || (flags?.noWrites ?? false))
}

function evalBody(readOnly: boolean) {
  return (session: Session, args: readonly string[]) => evaluate(session, args, () => load(session, args[1]!), readOnly)
}

function evalSha(readOnly: boolean) {
  return (session: Session, args: readonly string[]): Answer => {
    const sha = args[1]!
    if (sha.length !== 40) return noScript
    const { scripts } = session.server
    return evaluate(session, args, () => scripts.find(sha) ?? scripts.find(sha.toLowerCase()) ?? noScript, readOnly)
  }
}

function load(session: Session, body: string): CompiledScript | ErrorReply {
  if (body.charCodeAt(0) === 35) {
    const flags = readShebang(body)
    if (flags instanceof ErrorReply) return flags
  }
  return session.server.scripts.load(body)
}

function scriptLoad(session: Session, args: readonly string[]): Answer {
  const script = load(session, args[2]!)
  return script instanceof ErrorReply ? script : script.sha
}

function scriptFlush(session: Session, args: readonly string[]): Answer {
  if (args.length > 3 || (args.length === 3 && !/^a?sync$/i.test(args[2]!))) {
    return new ErrorReply('ERR SCRIPT FLUSH only support SYNC|ASYNC option')
  }
  session.server.scripts.flush()
  return OK
}

export const scriptingHandlers: Handlers = {
  eval: evalBody(false),
  eval_ro: evalBody(true),
  evalsha: evalSha(false),
  evalsha_ro: evalSha(true),
  'script|load': scriptLoad,
  'script|exists': (session, args) =>
    args.slice(2).map((sha) => (session.server.scripts.find(sha) === undefined ? 0 : 1)),
  'script|flush': scriptFlush,
  /** A script is never seen running from outside: it ends in the turn in which it began. */
  'script|kill': () => new ErrorReply('NOTBUSY No scripts in execution right now.'),
}
