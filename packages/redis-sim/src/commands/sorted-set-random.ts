/** ZRANDMEMBER. `environment.random` chooses the members. */

import type { Answer, Handlers } from '../command.ts'
import { outOfRange, syntaxError } from '../errors.ts'
import { ErrorReply } from '../resp/reply.ts'
import type { Session } from '../session.ts'
import { typedRead } from './arguments.ts'
import { one, sample, sampleCount } from './sample.ts'
import { showPairs } from './sorted-set-ranges.ts'

function zrandmember(session: Session, args: readonly string[]): Answer {
  const { environment } = session.server
  if (args.length === 2) {
    const entry = typedRead(session, args[1]!, 'zset')
    if (entry === undefined || entry instanceof ErrorReply) return entry ?? null
    return one(entry.ordered(), environment)
  }
  const count = sampleCount(args[2]!)
  if (count instanceof ErrorReply) return count
  if (args.length > 4 || (args.length === 4 && args[3]!.toLowerCase() !== 'withscores')) return syntaxError
  const withScores = args.length === 4
  if (withScores && (count < -4611686018427387903n || count > 4611686018427387903n)) return outOfRange
  const entry = typedRead(session, args[1]!, 'zset')
  if (entry === undefined || entry instanceof ErrorReply) return entry ?? []
  // If all members are returned, they are in descending order.
  const members = sample([...entry.ordered()].reverse(), Number(count), environment)
  if (members instanceof ErrorReply || !withScores) return members
  return showPairs(
    session,
    members.map((member) => [member, entry.scores.get(member)!]),
  )
}

export const sortedSetRandomHandlers: Handlers = { zrandmember }
