/** Hello messages: Sentinels discover each other and spread newer configurations. */
import { ErrorReply, type PushReply, type Reply } from '../resp/reply.ts'
import { type Address, leadingInteger, sameAddress } from './address.ts'
import { ask } from './ask.ts'
import type { OtherSentinel, Primary, Watched } from './instance.ts'
import { primaryOf } from './instance.ts'
import { addSentinel, currentAddress, findSentinelAt, moveSentinel, removeSentinel } from './instances.ts'
import { resetAndChangeAddress } from './reset.ts'
import type { Sentinel } from './sentinel.ts'

export const helloChannel = '__sentinel__:hello'

/**
 * Sends a hello: publishes it on a server for all subscribers, or sends it directly to a Sentinel.
 */
export function sendHello(sentinel: Sentinel, one: Watched): void {
  const { settings, config, id, epoch } = sentinel
  const primary = primaryOf(one)
  const address = currentAddress(primary)
  const host = settings.announceIp || one.link.commands!.localHost
  // If the connection is not established yet, the local address is unknown and nothing can be sent.
  if (host === null) return
  const port = settings.announcePort || config.port
  const me = `${host},${port},${id},${epoch}`
  const message = `${me},${primary.name},${address.host},${address.port},${primary.configEpoch}`
  const channel = one.link.commands!
  const words = ['PUBLISH', helloChannel, message]
  const published = (reply: Reply) => {
    if (reply instanceof ErrorReply) return
    one.lastPublishedMs = sentinel.nowMs
    channel.lastHello = message
  }
  const reply = channel.lastHello === message ? channel.beat(words) : undefined
  if (reply === undefined) ask(one, channel, words, published)
  else published(reply)
}

/** Sends a hello at the next tick to all instances of a primary. */
export function forceHello(sentinel: Sentinel, primary: Primary): void {
  const aPeriod = sentinel.periods.publishMs + 1
  for (const one of [primary, ...primary.others()]) {
    if (one.lastPublishedMs >= aPeriod) one.lastPublishedMs -= aPeriod
  }
}

/**
 * Handles a push message of the subscribed channel. The confirmation of SUBSCRIBE is also a push
 * message.
 */
export function receiveHello(sentinel: Sentinel, one: Watched, reply: Reply): void {
  one.link.lastMessageMs = sentinel.nowMs
  if (!Array.isArray(reply) || reply.length !== 3) return
  const [kind, , message] = reply as readonly Reply[]
  if (kind !== 'message' || typeof message !== 'string' || message.includes(sentinel.id)) return
  processHello(sentinel, message)
}

/**
 * If the hello is this Sentinel's own, or equals the last hello of another Sentinel, records the
 * time at once, without scheduling an event, and returns true. Returns false for any other hello.
 */
export function repeatHello(sentinel: Sentinel, one: Watched, { items }: PushReply): boolean {
  const [kind, , message] = items
  if (kind !== 'message' || typeof message !== 'string') return false
  if (!message.includes(sentinel.id) && !heardAgain(sentinel, message)) return false
  one.link.lastMessageMs = sentinel.readClock()
  return true
}

/**
 * True if the message equals the last hello of some Sentinel. Epochs only increase, so such a
 * message has no new content.
 */
function heardAgain(sentinel: Sentinel, message: string): boolean {
  for (const primary of sentinel.primaries.values()) {
    for (const other of primary.sentinels.values()) {
      if (other.lastHello !== message) continue
      other.lastHelloMs = sentinel.readClock()
      return true
    }
  }
  return false
}

type EightWords = [string, string, string, string, string, string, string, string]

interface Hello extends Address {
  readonly id: string
  readonly epoch: number
  readonly primaryAt: Address
  readonly configEpoch: number
}

/** Source: sentinelProcessHelloMessage of Redis 7.0. */
export function processHello(sentinel: Sentinel, message: string): void {
  if (heardAgain(sentinel, message)) return
  sentinel.recheckTimers()
  const words = message.split(',')
  const primary = sentinel.primaries.get(words[4] ?? '')
  if (words.length !== 8 || primary === undefined) return
  const [host, port, id, epoch, , primaryHost, primaryPort, configEpoch] = words as EightWords
  const hello: Hello = {
    host,
    port: leadingInteger(port),
    id,
    epoch: leadingInteger(epoch),
    primaryAt: { host: primaryHost, port: leadingInteger(primaryPort) },
    configEpoch: leadingInteger(configEpoch),
  }
  const known = primary.sentinels.get(id)
  const other = known !== undefined && sameAddress(known.address, hello) ? known : meet(sentinel, primary, hello)
  if (hello.epoch > sentinel.epoch) {
    sentinel.epoch = hello.epoch
    sentinel.flushConfig()
    sentinel.announce('+new-epoch', String(sentinel.epoch))
  }
  if (other === null) return
  if (primary.configEpoch < hello.configEpoch) adopt(sentinel, primary, other, hello)
  other.lastHelloMs = sentinel.nowMs
  other.lastHello = message
}

/**
 * Adds the Sentinel that sent a hello. It is new, has moved to this address, or replaces a Sentinel
 * at this address.
 */
function meet(sentinel: Sentinel, primary: Primary, { host, port, id }: Hello): OtherSentinel | null {
  const moved = removeSentinel(primary, id)
  if (moved) sentinel.event('+sentinel-address-switch', primary, ` ip ${host} port ${port} for ${id}`)
  const former = moved ? undefined : findSentinelAt(primary, { host, port })
  if (former !== undefined) {
    sentinel.event('+sentinel-invalid-addr', former)
    for (const each of sentinel.primaries.values()) removeSentinel(each, former.name)
  }
  const other = addSentinel(sentinel, primary, id, { host, port })
  if (other === null) return null
  if (!moved) sentinel.event('+sentinel', other)
  else {
    const count = moveSentinel(sentinel, other)
    if (count > 0) sentinel.event('+sentinel-address-update', other, ` ${count} additional matching instances`)
  }
  sentinel.flushConfig()
  return other
}

/**
 * Adopts the configuration of another Sentinel, which knows of a failover that this Sentinel
 * missed.
 */
function adopt(sentinel: Sentinel, primary: Primary, from: OtherSentinel, { primaryAt, configEpoch }: Hello): void {
  primary.configEpoch = configEpoch
  if (sameAddress(primary.address, primaryAt)) return
  const { host, port } = primary.address
  sentinel.event('+config-update-from', from)
  sentinel.announce('+switch-master', `${primary.name} ${host} ${port} ${primaryAt.host} ${primaryAt.port}`)
  resetAndChangeAddress(sentinel, primary, primaryAt)
}
