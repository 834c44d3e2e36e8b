/**
 * Commands that every server has and a Sentinel answers differently: HELLO, INFO, ROLE, PUBLISH,
 * COMMAND.
 */

import type { Answer, Handlers } from '../../command.ts'
import { connectionHandlers } from '../../commands/connection.ts'
import { info as serverInfo } from '../../info.ts'
import { ErrorReply, MapReply, VerbatimReply } from '../../resp/reply.ts'
import type { Session } from '../../session.ts'
import { helloChannel, processHello } from '../hello.ts'
import type { Sentinel } from '../sentinel.ts'
import { sentinelOf } from './of-session.ts'

/** HELLO: the reply of a server, but with the mode `sentinel` and without a role. */
function hello(session: Session, args: readonly string[]): Answer {
  const reply = connectionHandlers.hello!(session, args)
  if (!(reply instanceof MapReply)) return reply
  const { entries } = reply
  const kept = entries.filter((_, at) => entries[at - (at % 2)] !== 'role')
  return new MapReply(kept.map((entry, at) => (kept[at - 1] === 'mode' ? 'sentinel' : entry)))
}

const serverSections = ['server', 'clients', 'stats', 'cpu']

function info(session: Session, args: readonly string[]): Answer {
  const asked = args.slice(1).map((name) => name.toLowerCase())
  const all = asked.length === 0 || ['default', 'all', 'everything'].some((name) => asked.includes(name))
  const names = serverSections.filter((name) => all || asked.includes(name))
  const text = names.length === 0 ? '' : serverInfo(session.server, names).text
  const parts = text === '' ? [] : [text.replace('redis_mode:standalone', 'redis_mode:sentinel')]
  if (all || asked.includes('sentinel')) parts.push(sentinelSection(sentinelOf(session)))
  return new VerbatimReply('txt', parts.join('\r\n'))
}

function sentinelSection(sentinel: Sentinel): string {
  const { primaries, nowMs, tiltSinceMs } = sentinel
  const lines = [
    '# Sentinel',
    `sentinel_masters:${primaries.size}`,
    `sentinel_tilt:${tiltSinceMs === null ? 0 : 1}`,
    `sentinel_tilt_since_seconds:${tiltSinceMs === null ? -1 : Math.trunc((nowMs - tiltSinceMs) / 1000)}`,
    'sentinel_running_scripts:0',
    'sentinel_scripts_queue_length:0',
    'sentinel_simulate_failure_flags:0',
    ...[...primaries.values()].map(({ name, oDown, sDown, address, replicas, sentinels }, at) => {
      const status = oDown ? 'odown' : sDown ? 'sdown' : 'ok'
      const counts = `slaves=${replicas.size},sentinels=${sentinels.size + 1}`
      return `master${at}:name=${name},status=${status},address=${address.host}:${address.port},${counts}`
    }),
  ]
  return `${lines.join('\r\n')}\r\n`
}

/** PUBLISH: accepts only hello messages of other Sentinels. */
function publish(session: Session, [, channel, message]: readonly string[]): Answer {
  if (channel !== helloChannel) return new ErrorReply('ERR Only HELLO messages are accepted by Sentinel instances.')
  processHello(session.server as Sentinel, message!)
  return 1
}

export const asServerHandlers: Handlers = {
  hello,
  info,
  publish,
  role: (session) => ['sentinel', [...sentinelOf(session).primaries.keys()]],
  'command|docs': () => new MapReply([]),
  'acl|whoami': () => 'default',
}
