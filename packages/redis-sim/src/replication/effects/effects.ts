/** From commands that clients sent to what is repeated elsewhere, and when. */

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

/** Replicas get what these execute, and not the commands themselves. */
const recordsParts = new Set(['exec', 'eval', 'eval_ro', 'evalsha', 'evalsha_ro', 'fcall', 'fcall_ro'])

/** Propagated even where nothing changed: to whom. */
const forced: { readonly [fullName: string]: number } = {
  flushall: forBoth,
  flushdb: forBoth,
  publish: forReplicas,
  spublish: forReplicas,
}

/** They touch whatever keys there are, so that what they find expired goes one by one. */
const touchesAnyKey = new Set(['scan', 'randomkey'])

/** A command of a client: executed, noted, and told. */
export function executeAndRecord(session: Session, command: Command, args: readonly string[]): Answer {
  const answer = executeAndNote(session, command, args)
  session.server.propagation.flush(!touchesAnyKey.has(command.fullName))
  return answer
}

/**
 * A command within a transaction or a script, which is propagated with the others when all are
 * over.
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

/** A command that waited has been served by the key. */
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
