/**
 * Converts clients' commands to the effects that are propagated, and decides when they are
 * propagated.
 */

import { type Answer, Blocking, type Command, Encoded, NoReply, Several } from '../../command.ts'
import { asZadd } from '../../commands/geo.ts'
import { ErrorReply, type Reply } from '../../resp/reply.ts'
import type { Session } from '../../session.ts'
import { forBoth, forReplicas } from '../propagation.ts'
import { popRewrites } from './pops.ts'
import type { Rewrites } from './rewrite.ts'
import { streamRewrites } from './streams.ts'
import { stringRewrites } from './strings.ts'

const rewrites: Rewrites = {
  ...stringRewrites,
  ...popRewrites,
  ...streamRewrites,
  geoadd: (_session, args) => [asZadd(args) as string[]],
}

/** Commands whose executed parts are propagated instead of the command. */
const recordsParts = new Set(['exec', 'eval', 'eval_ro', 'evalsha', 'evalsha_ro', 'fcall', 'fcall_ro'])

/** Targets of commands that are propagated even if they changed nothing. */
const forced: { readonly [fullName: string]: number } = {
  flushall: forBoth,
  flushdb: forBoth,
  publish: forReplicas,
  spublish: forReplicas,
}

/**
 * Commands that may access any key, so the keys that they find expired are propagated separately
 * (without MULTI).
 */
const touchesAnyKey = new Set(['scan', 'randomkey'])

/** Executes and propagates a client's command. */
export function executeAndRecord(session: Session, command: Command, args: readonly string[]): Answer {
  const answer = executeAndNote(session, command, args)
  session.server.propagation.flush(!touchesAnyKey.has(command.fullName))
  return answer
}

/**
 * Executes a command in a transaction or a script. All effects are propagated together at the end
 * of the transaction or script.
 */
export function executeAndNote(session: Session, command: Command, args: readonly string[]): Answer {
  const { state } = session.server.keyspace
  const before = state.changes
  const answer = command.execute!(session, args)
  if (!recordsParts.has(command.fullName)) note(session, command, args, answer, state.changes !== before)
  return answer
}

function note(session: Session, command: Command, args: readonly string[], answer: Answer, changed: boolean): void {
  const { propagation } = session.server
  const targets = session.propagates & (changed ? forBoth : (forced[command.fullName] ?? 0))
  if (targets === 0 || answer instanceof ErrorReply || answer instanceof Blocking) return
  for (const words of rewritten(session, command, args, replyOf(answer))) {
    propagation.also(session.database.index, words, targets)
  }
}

/** Notes the effect of a blocked command that was served from a key. */
export function noteServed(session: Session, args: readonly string[], reply: Reply): void {
  if (reply instanceof ErrorReply) return
  session.waited = true
  for (const words of rewritten(session, session.command!, args, reply)) {
    session.server.propagation.also(session.database.index, words)
  }
  session.waited = false
}

function rewritten(
  session: Session,
  command: Command,
  args: readonly string[],
  reply: Reply,
): readonly (readonly string[])[] {
  return rewrites[command.fullName]?.(session, args, reply) ?? [args]
}

function replyOf(answer: Answer): Reply {
  if (answer instanceof NoReply || answer instanceof Several || answer instanceof Blocking) return null
  return answer instanceof Encoded ? answer.reply : answer
}
