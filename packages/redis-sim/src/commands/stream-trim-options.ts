/** The options of XADD and XTRIM. Source: streamParseAddOrTrimArgsOrReply of Redis 7.0. */

import { syntaxError } from '../errors.ts'
import type { Trim } from '../keyspace/stream.ts'
import { parseIdWithOpenSequence, type StreamId } from '../keyspace/stream-id.ts'
import { ErrorReply } from '../resp/reply.ts'
import type { Session } from '../session.ts'
import { integer } from './arguments.ts'
import { strictId } from './stream-arguments.ts'

/** `next` generates the ID from the clock; `nextOf` generates the next ID of that millisecond. */
export type AskedId = 'next' | { readonly nextOf: bigint } | { readonly id: StreamId }

export interface AddOrTrim {
  readonly id: AskedId | null
  /** Index of the ID; for XTRIM, the index after the last option. */
  readonly idAt: number
  readonly makesStream: boolean
  readonly trim: Trim | null
}

interface Parsed {
  keep: Trim['keep'] | null
  approximate: boolean
  limit: number
  limitGiven: boolean
  makesStream: boolean
}

const both = new ErrorReply('ERR syntax error, MAXLEN and MINID options at the same time are not compatible')

export function parseAddOrTrim(session: Session, args: readonly string[], adds: boolean): AddOrTrim | ErrorReply {
  const parsed: Parsed = { keep: null, approximate: false, limit: 0, limitGiven: false, makesStream: true }
  let id: AskedId | null = null
  let at = 2
  for (; at < args.length; at++) {
    const word = args[at]!.toLowerCase()
    const more = args.length - 1 - at
    if (adds && (word === '*' || word.startsWith('*\0'))) {
      id = 'next'
      break
    }
    if ((word === 'maxlen' || word === 'minid') && more > 0) {
      if (parsed.keep !== null) return both
      parsed.approximate = more >= 2 && args[at + 1] === '~'
      if (more >= 2 && (args[at + 1] === '~' || args[at + 1] === '=')) at++
      const keep = word === 'maxlen' ? parseLength(args[++at]!) : parseFrom(args[++at]!)
      if (keep instanceof ErrorReply) return keep
      parsed.keep = keep
    } else if (word === 'limit' && more > 0) {
      const limit = integer(args[++at]!)
      if (limit instanceof ErrorReply) return limit
      if (limit < 0) return new ErrorReply('ERR The LIMIT argument must be >= 0.')
      parsed.limit = Number(limit)
      parsed.limitGiven = true
    } else if (adds && word === 'nomkstream') parsed.makesStream = false
    else if (adds) {
      const asked = parseAskedId(args[at]!)
      if (asked instanceof ErrorReply) return asked
      id = asked
      break
    } else return syntaxError
  }
  // Commands from a primary or from the append-only file state exactly how far to trim, so they
  // ignore the limit.
  if (session.obeyed) Object.assign(parsed, { limit: 0, limitGiven: false })
  const problem = conflict(parsed, adds)
  if (problem !== undefined) return problem
  return { id, idAt: at, makesStream: parsed.makesStream, trim: trimOf(session, parsed) }
}

function parseLength(text: string): Trim['keep'] | ErrorReply {
  const length = integer(text)
  if (length instanceof ErrorReply) return length
  return length < 0 ? new ErrorReply('ERR The MAXLEN argument must be >= 0.') : { by: 'length', length: Number(length) }
}

function parseFrom(text: string): Trim['keep'] | ErrorReply {
  const from = strictId(text)
  return from instanceof ErrorReply ? from : { by: 'id', from }
}

function parseAskedId(text: string): AskedId | ErrorReply {
  const nextOf = parseIdWithOpenSequence(text)
  if (nextOf !== undefined) return { nextOf }
  const id = strictId(text)
  return id instanceof ErrorReply ? id : { id }
}

function conflict({ keep, limit, limitGiven, approximate }: Parsed, adds: boolean): ErrorReply | undefined {
  if (limit !== 0 && keep === null) {
    return new ErrorReply('ERR syntax error, LIMIT cannot be used without specifying a trimming strategy')
  }
  if (!adds && keep === null) {
    return new ErrorReply('ERR syntax error, XTRIM must be called with a trimming strategy')
  }
  return limitGiven && !approximate
    ? new ErrorReply('ERR syntax error, LIMIT cannot be used without the special ~ option')
    : undefined
}

/** Without an explicit limit, approximate trimming removes at most a hundred nodes. */
function trimOf({ server }: Session, { keep, approximate, limit, limitGiven }: Parsed): Trim | null {
  if (keep === null) return null
  const { streamNodeMaxEntries } = server.config
  const usual = streamNodeMaxEntries <= 0 ? 10_000 : Math.min(100 * streamNodeMaxEntries, 1_000_000)
  return { keep, approximate, limit: limitGiven || !approximate ? limit : usual }
}
