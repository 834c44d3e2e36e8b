/**
 * SENTINEL CONFIG GET and SET. Source: sentinelConfigGetCommand and sentinelConfigSetCommand of
 * Redis 7.0.
 */

import type { Answer, Handlers } from '../../command.ts'
import { cString } from '../../errors.ts'
import { matchesGlob } from '../../glob.ts'
import { parseInt64 } from '../../numbers/int64.ts'
import { ErrorReply, MapReply, OK } from '../../resp/reply.ts'
import type { Session } from '../../session.ts'
import type { Settings } from '../config.ts'
import type { Sentinel } from '../sentinel.ts'
import { sentinelOf } from './of-session.ts'

/** Names of the settings, in the order of the output. */
const names: { readonly [name: string]: keyof Settings } = {
  'resolve-hostnames': 'resolveHostnames',
  'announce-hostnames': 'announceHostnames',
  'announce-ip': 'announceIp',
  'announce-port': 'announcePort',
  'sentinel-user': 'sentinelUser',
  'sentinel-pass': 'sentinelPass',
}

function config(session: Session, args: readonly string[]): Answer {
  const sentinel = sentinelOf(session)
  const what = args[2]!.toLowerCase()
  if (what === 'get' && args.length === 4) return get(sentinel, args[3]!.toLowerCase())
  if (what === 'set' && args.length === 5) return set(sentinel, args[3]!, args[4]!)
  return new ErrorReply('ERR Only SENTINEL CONFIG GET <option> / SET <option> <value> are supported.')
}

function get({ settings }: Sentinel, pattern: string): Answer {
  const print = (value: string | number | boolean) => (typeof value === 'boolean' ? (value ? 'yes' : 'no') : `${value}`)
  const matching = Object.entries(names).filter(([name]) => matchesGlob(pattern, name))
  return new MapReply(matching.flatMap(([name, key]) => [name, print(settings[key])]))
}

function set(sentinel: Sentinel, option: string, text: string): Answer {
  const name = option.toLowerCase()
  const key = names[name]
  if (key === undefined) return new ErrorReply(`ERR Invalid argument '${cString(option)}' to SENTINEL CONFIG SET`)
  const value = parse(sentinel.settings[key], text)
  if (value === undefined) {
    return new ErrorReply(`ERR Invalid value '${cString(text)}' to SENTINEL CONFIG SET '${cString(option)}'`)
  }
  Object.assign(sentinel.settings, { [key]: value })
  sentinel.flushConfig()
  if (key === 'sentinelUser' || key === 'sentinelPass') dropSentinels(sentinel)
  return OK
}

/** Parses a value of the same type as the current one. */
function parse(current: string | number | boolean, text: string): string | number | boolean | undefined {
  if (typeof current === 'string') return text
  if (typeof current === 'boolean') return /^yes$/i.test(text) ? true : /^no$/i.test(text) ? false : undefined
  const port = parseInt64(text)
  return port === undefined || port < 0 || port > 65535 ? undefined : Number(port)
}

/** Closes the links to other Sentinels, so that they reconnect with the new password. */
function dropSentinels({ primaries }: Sentinel): void {
  for (const { sentinels } of primaries.values()) for (const other of sentinels.values()) other.link.closeBoth()
}

export const configHandlers: Handlers = { 'sentinel|config': config }
