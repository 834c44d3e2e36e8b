/**
 * Detects commands that renew a claim that the attempt holds, such as a heartbeat. A renewal that
 * finds its claim is not a deciding step.
 */
import { findCommand, keysOf } from 'redis-sim'
import { ErrorReply, StatusReply } from 'redis-sim/resp'
import { writesOfScript } from '../../sim/world/writing-scripts.ts'
import type { ExecutedCommand } from '../../sim/world.ts'

type Run = readonly ExecutedCommand[]

/** The renewals among `steps`, the commands of one attempt in order. */
export function renewalsIn(steps: Run, executed: Run): ReadonlySet<ExecutedCommand> {
  const renewals = new Set<ExecutedCommand>()
  const did = steps.filter(didSomething).map((command) => ({ command, shape: shapeOf(command) }))
  const alike = new Map<string, number>()
  for (const { shape } of did) alike.set(shape, (alike.get(shape) ?? 0) + 1)
  /** The writing commands of the attempt so far, by the place that they wrote. */
  const own = new Map<string, ExecutedCommand[]>()
  /** The shapes of the first commands to each place. */
  const firsts = new Set<string>()
  for (const { command, shape } of did) {
    const places = placesOf(command)
    const before = places.flatMap((place) => own.get(place) ?? [])
    if (before.length === 0) firsts.add(shape)
    else if (
      setsTimeAlone(command, before, executed) ||
      (!firsts.has(shape) && alike.get(shape)! > 1 && mayBeat(command, executed))
    )
      renewals.add(command)
    if (!mayWrite(command, executed)) continue
    for (const place of places) own.set(place, [...(own.get(place) ?? []), command].slice(0, mostOwn))
  }
  return renewals
}

/**
 * The maximum number of writes to consider for each place. The claim is among the first commands,
 * before its renewals.
 */
const mostOwn = 20

/** True if the command was not refused, and found its target. */
function didSomething({ label, reply }: ExecutedCommand): boolean {
  if (reply === null || reply instanceof ErrorReply) return false
  if (reply instanceof StatusReply) return !/ 0$/.test(reply.status)
  return typeof reply !== 'number' || reply > 0 || /^(ZADD|HSET)$/.test(label)
}

/** The keys that the command names in Redis; in another store, its table. */
function placesOf({ label, args, session }: ExecutedCommand): readonly string[] {
  const command = session === undefined ? findCommand(args[0]!.toLowerCase()) : undefined
  return command === undefined ? [label.slice(label.indexOf(' ') + 1)] : keysOf(command, args)
}

/**
 * True if the words of the command show that it only changes the duration of a claim. `own`: the
 * attempt's earlier commands at the same place.
 */
function setsTimeAlone(one: ExecutedCommand, own: Run, executed: Run): boolean {
  const { label, args, session } = one
  if (session !== undefined) return label.startsWith('UPDATE') && assignsTimesAlone(args[0]!)
  if (/^EVAL/.test(label)) return setsOnlyTtl(one, executed) || (renewalNames.test(label) && writes(one, executed))
  if (label === 'SET') return own.some((other) => other.label === 'SET' && other.args[2] === args[2])
  if (label === 'ZADD') return own.some((other) => other.label === 'ZADD' && other.args.at(-1) === args.at(-1))
  return ttlCommand.test(label)
}

/** True for a script whose only writes set a time to live. */
export function setsOnlyTtl(one: ExecutedCommand, executed: Run): boolean {
  const called = /^EVAL/.test(one.label) ? (writesOfScript(one, executed) ?? []) : []
  return called.length > 0 && called.every((name) => ttlCommand.test(name))
}

const ttlCommand = /^p?expire(at)?$/i
/** Matches typical names of scripts that renew a claim. */
const renewalNames = / (renew|extend|prolong|refresh|heartbeat|keep-?alive)/i

/** True if every column is assigned a time: `SET until = now() + interval '5 s' WHERE …`. */
function assignsTimesAlone(sql: string): boolean {
  const [, assigned] = /\bset\b(.*?)\bwhere\b/is.exec(sql) ?? []
  const values = assigned?.split('=').slice(1) ?? []
  return values.length > 0 && values.every((value) => /\bnow\b|_timestamp\b/i.test(value))
}

/**
 * True for a write that may be a heartbeat. An attempt may repeat such a write at a place that it
 * had claimed with another command. If only the numbers change, the write renews that claim.
 */
const mayBeat = (one: ExecutedCommand, executed: Run): boolean =>
  /^(EVAL|HSET|UPDATE|UpdateItem)/.test(one.label) && writes(one, executed)

/** True for a command that writes, or for a script whose text is unknown. */
const mayWrite = (one: ExecutedCommand, executed: Run): boolean =>
  writes(one, executed) || (/^(EVAL|FCALL)/.test(one.label) && writesOfScript(one, executed) === null)

function writes(one: ExecutedCommand, executed: Run): boolean {
  const { label, args, session } = one
  if (session !== undefined) return /^(INSERT|UPDATE|WITH)\b/.test(label)
  if (/^EVAL/.test(label)) return (writesOfScript(one, executed) ?? []).length > 0
  return /^(Put|Update)Item\b/.test(label) || findCommand(args[0]!.toLowerCase())?.flagNames.includes('write') === true
}

const shapeOf = ({ label, args }: ExecutedCommand): string => `${label} ${args.join(' ').replaceAll(/\d+/g, '#')}`
