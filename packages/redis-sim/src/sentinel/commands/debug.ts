/** SENTINEL DEBUG: prints the Sentinel's periods, or sets them until the next restart. */

import type { Answer, Handlers } from '../../command.ts'
import { cString } from '../../errors.ts'
import { parseInt64 } from '../../numbers/int64.ts'
import { ErrorReply, MapReply, OK } from '../../resp/reply.ts'
import type { Session } from '../../session.ts'
import type { Periods } from '../config.ts'
import { sentinelOf } from './of-session.ts'

/** Names of the periods, in the order of the output. */
const names: { readonly [name: string]: keyof Periods } = {
  'info-period': 'infoMs',
  'ping-period': 'pingMs',
  'ask-period': 'askMs',
  'publish-period': 'publishMs',
  'default-down-after': 'defaultDownAfterMs',
  'default-failover-timeout': 'defaultFailoverTimeoutMs',
  'tilt-trigger': 'tiltTriggerMs',
  'tilt-period': 'tiltMs',
  'slave-reconf-timeout': 'replicaReconfMs',
  'min-link-reconnect-period': 'minLinkReconnectMs',
  'election-timeout': 'electionMs',
  'script-max-runtime': 'scriptMaxRuntimeMs',
  'script-retry-delay': 'scriptRetryDelayMs',
}

function debug(session: Session, args: readonly string[]): Answer {
  const { periods } = sentinelOf(session)
  if (args.length === 2) {
    return new MapReply(Object.entries(names).flatMap(([name, key]) => [name.toUpperCase(), String(periods[key])]))
  }
  for (let at = 2; at < args.length; at += 2) {
    const [option, text] = [args[at]!, args[at + 1]]
    const key = names[option.toLowerCase()]
    if (key === undefined || text === undefined) {
      return new ErrorReply(`ERR Unknown option or number of arguments for SENTINEL DEBUG '${cString(option)}'`)
    }
    const ms = parseInt64(text)
    if (ms === undefined || ms <= 0) {
      return new ErrorReply(`ERR Invalid argument '${cString(text)}' for SENTINEL DEBUG '${cString(option)}'`)
    }
    periods[key] = Number(ms)
  }
  return OK
}

export const debugHandlers: Handlers = { 'sentinel|debug': debug }
