/** SENTINEL SET. Source: sentinelSetCommand of Redis 7.0. */

import type { Answer, Handlers } from '../../command.ts'
import { cString } from '../../errors.ts'
import { parseInt64 } from '../../numbers/int64.ts'
import { ErrorReply, OK } from '../../resp/reply.ts'
import type { Session } from '../../session.ts'
import type { Primary } from '../instance.ts'
import { primaryNamed, sentinelOf } from './of-session.ts'

interface NumberOption {
  readonly least: number
  set(primary: Primary, value: number): void
}

const numbers: { readonly [option: string]: NumberOption } = {
  'down-after-milliseconds': {
    least: 1,
    set: (primary, value) => {
      for (const one of [primary, ...primary.others()]) one.downAfterMs = value
    },
  },
  'failover-timeout': { least: 1, set: (primary, value) => void (primary.failoverTimeoutMs = value) },
  'parallel-syncs': { least: 1, set: (primary, value) => void (primary.parallelSyncs = value) },
  quorum: { least: 1, set: (primary, value) => void (primary.quorum = value) },
  'master-reboot-down-after-period': {
    least: 0,
    set: (primary, value) => void (primary.masterRebootDownAfterMs = value),
  },
}

/** Sets options of a primary. Options before an invalid one remain applied. */
function set(session: Session, args: readonly string[]): Answer {
  const sentinel = sentinelOf(session)
  const primary = primaryNamed(session, args[2]!)
  if (primary instanceof ErrorReply) return primary
  for (let at = 3; at < args.length; at += 2) {
    const [option, value] = [args[at]!, args[at + 1]]
    const problem = value === undefined ? unknown(option) : apply(session, primary, option, value)
    if (problem !== null) {
      if (at > 3) sentinel.flushConfig()
      return problem
    }
    sentinel.event('+set', primary, ` ${option} ${option.toLowerCase() === 'auth-pass' ? '******' : value}`)
  }
  sentinel.flushConfig()
  return OK
}

function apply(session: Session, primary: Primary, option: string, value: string): ErrorReply | null {
  const name = option.toLowerCase()
  const number = numbers[name]
  if (number !== undefined) {
    const parsed = parseInt64(value)
    if (parsed === undefined || parsed < number.least) {
      return new ErrorReply(`ERR Invalid argument '${cString(value)}' for SENTINEL SET '${cString(option)}'`)
    }
    number.set(primary, Number(parsed))
    return null
  }
  if (name === 'auth-pass' || name === 'auth-user') {
    primary[name === 'auth-pass' ? 'authPass' : 'authUser'] = value
    for (const one of [primary, ...primary.replicas.values()]) one.link.closeBoth()
    return null
  }
  if (name === 'notification-script' || name === 'client-reconfig-script') return scriptsDenied
  if (name === 'rename-command') session.server.environment.unsupported('SENTINEL SET rename-command')
  return unknown(option)
}

const scriptsDenied = new ErrorReply(
  'ERR Reconfiguration of scripts path is denied for security reasons. Check the deny-scripts-reconfig configuration directive in your Sentinel configuration',
)

function unknown(option: string): ErrorReply {
  return new ErrorReply(`ERR Unknown option or number of arguments for SENTINEL SET '${cString(option)}'`)
}

export const setHandlers: Handlers = { 'sentinel|set': set }
