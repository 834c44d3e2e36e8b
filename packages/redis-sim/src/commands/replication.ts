/**
 * REPLICAOF, ROLE and WAIT, and the commands that replicas send to their primary. Source:
 * replication.c of Redis 7.0.
 */

import { type Answer, Blocking, type Handlers, noReply } from '../command.ts'
import { cString, syntaxError } from '../errors.ts'
import { parseInt64 } from '../numbers/int64.ts'
import { ReplicaIntroduction } from '../replication/attached-replica.ts'
import { ErrorReply, OK, type Reply, StatusReply } from '../resp/reply.ts'
import type { Session } from '../session.ts'
import { integer, timeoutMs } from './arguments.ts'

const onReplica = new ErrorReply(
  'ERR WAIT cannot be used with replica instances. Please also note that since Redis 4.0 if a replica is configured to be writable (which is not the default) writes to replicas are just local and are not propagated.',
)

function wait(session: Session, [, replicas, timeout]: readonly string[]): Answer {
  const { server, writeOffset: offset } = session
  if (server.replication.link !== null) return onReplica
  const wanted = integer(replicas!)
  if (wanted instanceof ErrorReply) return wanted
  const limit = timeoutMs(timeout!)
  if (limit instanceof ErrorReply) return limit
  const count = () => server.replication.replicas.countAcknowledged(offset)
  if (count() >= wanted || session.denyBlocking) return count()
  return new Blocking(limit, count, null, (answer) => server.waits.begin({ offset, wanted: Number(wanted), answer }))
}

function role({ server }: Session): Answer {
  const { link, replicas } = server.replication
  if (link !== null) {
    const state = link.state === 'loading' ? 'sync' : link.state
    return ['slave', link.host, link.port, state, link.stream?.offset ?? -1]
  }
  const online = replicas.list.filter((replica) => replica.state === 'online')
  const reported = online.map(
    ({ address, introduction, ackedOffset }): Reply => [...[address, String(introduction.port), String(ackedOffset)]],
  )
  return ['master', server.replicationOffset, reported]
}

const alreadyConnected = new StatusReply('OK Already connected to specified master')

function replicaof({ server, replica }: Session, args: readonly string[]): Answer {
  const [, host, portText] = args as [string, string, string]
  if (server.cluster !== null) return new ErrorReply('ERR REPLICAOF not allowed in cluster mode.')
  const { replication } = server
  if (host.toLowerCase() === 'no' && portText.toLowerCase() === 'one') {
    replication.lead()
    return OK
  }
  if (replica !== null) return new ErrorReply('ERR Command is not valid when client is a replica.')
  const port = parseInt64(portText)
  if (port === undefined || port < 0 || port > 65535) return new ErrorReply('ERR Invalid master port')
  const { link } = replication
  if (link !== null && link.host.toLowerCase() === host.toLowerCase() && link.port === port) return alreadyConnected
  replication.follow(host, Number(port))
  return OK
}

function replconf(session: Session, args: readonly string[]): Answer {
  if (args.length % 2 === 0) return syntaxError
  for (let at = 1; at < args.length; at += 2) {
    const answer = introduce(session, args[at]!, args[at + 1]!)
    if (answer !== undefined) return answer
  }
  return OK
}

/** Processes one option of REPLCONF. Returns undefined to continue with the next option. */
function introduce(session: Session, option: string, value: string): Answer | undefined {
  const { server, replica } = session
  session.introduction ??= new ReplicaIntroduction()
  switch (option.toLowerCase()) {
    case 'listening-port': {
      const port = integer(value)
      if (port instanceof ErrorReply) return port
      session.introduction.port = Number(port)
      return undefined
    }
    case 'ip-address':
      session.introduction.address = value
      return undefined
    case 'capa':
      if (value.toLowerCase() === 'eof') session.introduction.takesStreams = true
      else if (value.toLowerCase() === 'psync2') session.introduction.knowsTwoIds = true
      return undefined
    case 'ack': {
      const offset = parseInt64(value)
      if (replica === null || offset === undefined) return noReply
      replica.acknowledge(Number(offset), server.keyspace.state.nowMs)
      server.waits.check()
      return noReply
    }
    case 'getack':
      if (session.obeyed) server.replication.link?.acknowledge()
      return noReply
    default:
      return new ErrorReply(`ERR Unrecognized REPLCONF option: ${cString(option)}`)
  }
}

function psync(session: Session, [, id, offsetText]: readonly string[]): Answer {
  const { server } = session
  if (session.replica !== null) return noReply
  const { link } = server.replication
  if (link !== null && link.state !== 'connected') {
    return new ErrorReply("NOMASTERLINK Can't SYNC while not connected with my master")
  }
  const offset = integer(offsetText!)
  return offset instanceof ErrorReply ? offset : server.replication.replicas.attach(session, id!, Number(offset))
}

export const replicationHandlers: Handlers = { wait, role, replicaof, slaveof: replicaof, replconf, psync }
