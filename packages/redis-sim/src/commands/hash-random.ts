/** HRANDFIELD. `environment.random` chooses the fields and their order. */

import type { Answer, Handlers } from '../command.ts'
import { outOfRange, syntaxError } from '../errors.ts'
import { ErrorReply, type Reply } from '../resp/reply.ts'
import type { Session } from '../session.ts'
import { typedRead } from './arguments.ts'
import { one, sample, sampleCount } from './sample.ts'

function hrandfield(session: Session, args: readonly string[]): Answer {
  if (args.length === 2) {
    const entry = typedRead(session, args[1]!, 'hash')
    if (entry === undefined || entry instanceof ErrorReply) return entry ?? null
    return one([...entry.fields.keys()], session.server.environment)
  }
  const count = sampleCount(args[2]!)
  if (count instanceof ErrorReply) return count
  if (args.length > 4 || (args.length === 4 && args[3]!.toLowerCase() !== 'withvalues')) return syntaxError
  const withValues = args.length === 4
  if (withValues && (count < -4611686018427387903n || count > 4611686018427387903n)) return outOfRange
  const entry = typedRead(session, args[1]!, 'hash')
  if (entry === undefined || entry instanceof ErrorReply) return entry ?? []
  const fields = sample([...entry.fields.keys()], Number(count), session.server.environment)
  if (fields instanceof ErrorReply || !withValues) return fields
  const pairs = fields.map((field): readonly [string, Reply] => [field, entry.fields.get(field)!])
  return session.resp === 2 ? pairs.flat() : pairs
}

export const hashRandomHandlers: Handlers = { hrandfield }
