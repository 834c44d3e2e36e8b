/** SENTINEL subcommands that only query. Source: sentinelCommand of Redis 7.0. */

import type { Answer, Handler, Handlers } from '../../command.ts'
import { integer } from '../../commands/arguments.ts'
import { ErrorReply, NullArrayReply, type Reply, StatusReply } from '../../resp/reply.ts'
import type { Session } from '../../session.ts'
import { sameAddress } from '../address.ts'
import { voteLeader } from '../election.ts'
import type { DataServer, Primary } from '../instance.ts'
import { instanceReply } from './instance-reply.ts'
import { primaryNamed, sentinelOf } from './of-session.ts'

/** Makes a subcommand whose only argument is the name of a primary. */
function ofPrimary(answer: (primary: Primary, session: Session) => Answer): Handler {
  return (session, args) => {
    const primary = primaryNamed(session, args[2]!)
    return primary instanceof ErrorReply ? primary : answer(primary, session)
  }
}

const replicas = ofPrimary((primary, session) =>
  [...primary.replicas.values()]
    .filter(({ announced }) => announced)
    .map((replica) => instanceReply(sentinelOf(session), replica)),
)

function primaryAddress(session: Session, args: readonly string[]): Answer {
  const address = sentinelOf(session).primary(args[2]!)
  return address === null ? new NullArrayReply() : [address.host, String(address.port)]
}

/**
 * Another Sentinel asks whether a primary is down. If the request contains the Sentinel's id, it
 * also asks for a vote.
 */
function isMasterDown(session: Session, args: readonly string[]): Answer {
  const sentinel = sentinelOf(session)
  const port = integer(args[3]!)
  const epoch = integer(args[4]!)
  if (port instanceof ErrorReply) return port
  if (epoch instanceof ErrorReply) return epoch
  const address = { host: args[2]!, port: Number(port) }
  const primary = [...sentinel.primaries.values()].find((one) => sameAddress(one.address, address))
  const isDown = sentinel.tiltSinceMs === null && primary?.sDown === true
  const vote =
    primary === undefined || args[5] === '*' ? undefined : voteLeader(sentinel, primary, Number(epoch), args[5]!)
  return [isDown ? 1 : 0, vote?.leader ?? '*', vote?.epoch ?? 0]
}

const checkQuorum = ofPrimary((primary) => {
  const usable = 1 + [...primary.sentinels.values()].filter(({ sDown }) => !sDown).length
  const problems: string[] = []
  if (usable < primary.quorum) {
    problems.push('Not enough available Sentinels to reach the specified quorum for this master')
  }
  if (usable < Math.floor((primary.sentinels.size + 1) / 2) + 1) {
    problems.push('Not enough available Sentinels to reach the majority and authorize a failover')
  }
  if (problems.length > 0) return new ErrorReply(`NOQUORUM ${usable} usable Sentinels. ${problems.join('. ')}`)
  return new StatusReply(`OK ${usable} usable Sentinels. Quorum and failover authorization can be reached`)
})

function infoCache(session: Session, args: readonly string[]): Answer {
  const { primaries, nowMs } = sentinelOf(session)
  const cached = (one: DataServer): Reply => [one.infoMs === 0 ? 0 : nowMs - one.infoMs, one.info?.text ?? null]
  const asked = new Set(args.slice(2).flatMap((name) => primaries.get(name) ?? []))
  return [...asked].flatMap((primary) => [
    primary.name,
    [cached(primary), ...[...primary.replicas.values()].map(cached)],
  ])
}

export const queryHandlers: Handlers = {
  'sentinel|masters': (session) =>
    [...sentinelOf(session).primaries.values()].map((primary) => instanceReply(sentinelOf(session), primary)),
  'sentinel|master': ofPrimary((primary, session) => instanceReply(sentinelOf(session), primary)),
  'sentinel|replicas': replicas,
  'sentinel|slaves': replicas,
  'sentinel|sentinels': ofPrimary((primary, session) =>
    [...primary.sentinels.values()].map((other) => instanceReply(sentinelOf(session), other)),
  ),
  'sentinel|myid': (session) => sentinelOf(session).id,
  'sentinel|get-master-addr-by-name': primaryAddress,
  'sentinel|is-master-down-by-addr': isMasterDown,
  'sentinel|ckquorum': checkQuorum,
  'sentinel|info-cache': infoCache,
  /** Scripts are not simulated. */
  'sentinel|pending-scripts': () => [],
}
