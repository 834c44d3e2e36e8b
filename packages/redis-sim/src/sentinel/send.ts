/** The periodic commands of a Sentinel, and the interpretation of replies to PING. */

import { InfoReply } from '../info-reply.ts'
import { ErrorReply, type Reply, StatusReply } from '../resp/reply.ts'
import { ask } from './ask.ts'
import { sendHello } from './hello.ts'
import type { DataServer, Primary, Replica, Watched } from './instance.ts'
import { learnInfo } from './learn-info.ts'
import type { Sentinel } from './sentinel.ts'

/**
 * Maximum number of commands in flight on one link per user of the link. At the maximum, no
 * periodic commands are sent.
 */
export const maxPending = 100

export function sendPing(sentinel: Sentinel, one: Watched): void {
  const { link } = one
  const pong = link.commands!.beat(['PING'])
  if (pong !== undefined) {
    link.lastPingMs = sentinel.nowMs
    return receivePong(sentinel, one, pong)
  }
  ask(one, link.commands!, ['PING'], (reply) => receivePong(sentinel, one, reply))
  link.lastPingMs = sentinel.nowMs
  if (link.unansweredPingMs === 0) link.unansweredPingMs = sentinel.nowMs
}

/**
 * Handles a reply to PING. The errors LOADING and MASTERDOWN prove that a server is alive; other
 * errors do not.
 */
function receivePong(sentinel: Sentinel, one: Watched, reply: Reply): void {
  const { link } = one
  const text = reply instanceof StatusReply ? reply.status : reply instanceof ErrorReply ? reply.message : ''
  if (/^(PONG|LOADING|MASTERDOWN)/.test(text)) {
    link.lastAliveMs = sentinel.nowMs
    link.unansweredPingMs = 0
    if (one.kind === 'master' && text.startsWith('PONG')) one.rebooted = false
  } else if (text.startsWith('BUSY') && one.sDown && !one.scriptKillSent) {
    ask(one, link.commands!, ['SCRIPT', 'KILL'], () => {})
    one.scriptKillSent = true
  }
  link.lastPongMs = sentinel.nowMs
}

/** Source: sentinelSendPeriodicCommands of Redis 7.0. */
export function sendPeriodicCommands(sentinel: Sentinel, one: Watched): void {
  const { link } = one
  const { nowMs, periods } = sentinel
  if (link.disconnected || link.pending >= maxPending * link.users) return
  if (one.kind !== 'sentinel' && (one.infoMs === 0 || nowMs - one.infoMs > infoPeriod(sentinel, one))) {
    askInfo(sentinel, one)
  }
  const pingPeriod = Math.min(one.downAfterMs, periods.pingMs)
  if (nowMs - link.lastPongMs > pingPeriod && nowMs - link.lastPingMs > Math.trunc(pingPeriod / 2)) {
    sendPing(sentinel, one)
  }
  if (nowMs - one.lastPublishedMs > periods.publishMs) sendHello(sentinel, one)
}

function askInfo(sentinel: Sentinel, one: Primary | Replica): void {
  ask(one, one.link.commands!, ['INFO'], (reply) => {
    if (reply instanceof InfoReply) learnInfo(sentinel, one, reply)
    else if (typeof reply === 'string') learnInfo(sentinel, one, InfoReply.ofText(reply))
  })
}

/**
 * Milliseconds between two INFO queries. A replica is queried more often while its primary is down
 * or failed over, or while the replica is disconnected from its primary.
 */
export function infoPeriod(sentinel: Sentinel, one: Primary | Replica): number {
  const close = one.kind === 'slave' && (one.primary.oDown || one.primary.failoverInProgress || isCutOff(one))
  return close ? 1000 : sentinel.periods.infoMs
}

function isCutOff({ linkDownMs }: DataServer): boolean {
  return linkDownMs !== 0
}
