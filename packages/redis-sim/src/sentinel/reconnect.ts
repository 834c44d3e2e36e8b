import { ErrorReply, type PushReply, type Reply } from '../resp/reply.ts'
import { ask } from './ask.ts'
import { Channel } from './channel.ts'
import { helloChannel, receiveHello, repeatHello } from './hello.ts'
import { primaryOf, type Watched } from './instance.ts'
import { sendPing } from './send.ts'
import type { Sentinel } from './sentinel.ts'

/**
 * Opens the missing connections of an instance, at most once a second. Source:
 * sentinelReconnectInstance of Redis 7.0.
 */
export function reconnect(sentinel: Sentinel, one: Watched): void {
  const { link } = one
  if (!link.disconnected || one.address.port === 0) return
  if (sentinel.nowMs - link.lastReconnectMs < sentinel.periods.pingMs) return
  link.lastReconnectMs = sentinel.nowMs
  if (link.commands === null) dialForCommands(sentinel, one)
  if (one.kind !== 'sentinel' && link.messages === null) dialForMessages(sentinel, one)
  if (link.commands !== null && (one.kind === 'sentinel' || link.messages !== null)) link.disconnected = false
}

function dialForCommands(sentinel: Sentinel, one: Watched): void {
  const { link } = one
  const gone = () => {
    link.commands = null
    link.disconnected = true
  }
  const strange = (reply: Reply) => {
    if (reply instanceof ErrorReply) link.closeCommands()
  }
  link.pending = 0
  link.commandsSinceMs = sentinel.nowMs
  link.commands = new Channel(sentinel.wires, one.address, sentinel, gone, strange)
  introduce(sentinel, one, link.commands, 'cmd')
  sendPing(sentinel, one)
}

function dialForMessages(sentinel: Sentinel, one: Watched): void {
  const { link } = one
  const gone = () => {
    link.messages = null
    link.disconnected = true
  }
  const pushed = (reply: Reply) => {
    // SUBSCRIBE was refused, so the connection is useless.
    if (reply instanceof ErrorReply) link.closeMessages()
    else if (!one.released) receiveHello(sentinel, one, reply)
  }
  link.messagesSinceMs = sentinel.nowMs
  const repeated = (reply: PushReply) => !one.released && repeatHello(sentinel, one, reply)
  link.messages = new Channel(sentinel.wires, one.address, sentinel, gone, pushed, repeated)
  introduce(sentinel, one, link.messages, 'pubsub')
  link.messages.subscribe(helloChannel)
}

/** Sends AUTH if there is a password, and then the connection's name. The replies are ignored. */
function introduce(sentinel: Sentinel, one: Watched, channel: Channel, purpose: 'cmd' | 'pubsub'): void {
  const { user, password } = credentials(sentinel, one)
  const ignore = () => {}
  if (password !== '') ask(one, channel, user === '' ? ['AUTH', password] : ['AUTH', user, password], ignore)
  ask(one, channel, ['CLIENT', 'SETNAME', `sentinel-${sentinel.id.slice(0, 8)}-${purpose}`], ignore)
}

function credentials(sentinel: Sentinel, one: Watched): { user: string; password: string } {
  if (one.kind !== 'sentinel') {
    const { authUser, authPass } = primaryOf(one)
    return { user: authUser, password: authPass }
  }
  const { sentinelUser, sentinelPass } = sentinel.settings
  if (sentinelPass !== '') return { user: sentinelUser, password: sentinelPass }
  return { user: '', password: sentinel.config.requirepass }
}
