/**
 * Finds times that clients pass to scripts as arguments or inside JSON arguments: ISO 8601 with
 * milliseconds and a Z, or seconds or milliseconds since the Unix epoch. Other forms are not
 * recognized. The produced-at time of a message (`producedAt`) is excluded, because it is not the
 * client's current time.
 */
import { epochMs } from 'virtual-node/kernel'
import type { ExecutedCommand } from '../../../sim/world.ts'
import type { Evidence } from './evidence.ts'

/** The maximum distance of a time from the start of a run. No clock error and no run is longer. */
const nearMs = 400 * 24 * 3_600_000

const forms =
  /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z|(?<![\w.-])\d{13}(?![\w.])|(?<![\w.-])\d{10}(?:\.\d{1,6})?(?![\w.])/g

/** The time in milliseconds since the Unix epoch; null if it cannot be a time of the run. */
function msOf(text: string): number | null {
  const ms = text.includes('T') ? Date.parse(text) : Number(text) * (/^\d{13}$/.test(text) ? 1 : 1000)
  return Math.abs(ms - epochMs) < nearMs ? ms : null
}

/**
 * The produced-at times of the key's messages, in milliseconds since the Unix epoch. A copy has the
 * produced-at time of its message.
 */
export function producedAtsOf({ reading, violation }: Evidence): readonly number[] {
  const published = reading.ofKey('published', violation.key ?? '')
  const firstMs = epochMs + (published[0]?.atUs ?? 0) / 1000
  return published.map(({ producedAtOffMs = 0 }) => firstMs + producedAtOffMs)
}

/**
 * The time in `text`, in milliseconds; null if it is a produced-at time. Whole seconds are compared
 * with a tolerance of one second.
 */
function timeIn(text: string, producedAts: readonly number[]): number | null {
  const ms = msOf(text)
  const leewayMs = text.length === 10 ? 1000 : 1
  return ms === null || producedAts.some((producedAt) => Math.abs(ms - producedAt) <= leewayMs) ? null : ms
}

/** All times in the text, in milliseconds since the Unix epoch, without produced-at times. */
export const timesIn = (text: string, producedAts: readonly number[]): readonly number[] =>
  text.match(forms)?.flatMap((one) => timeIn(one, producedAts) ?? []) ?? []

/** The index of a script's first argument, which follows its keys. */
const argumentsFrom = (args: readonly string[]): number => 3 + Number(args[2])

/**
 * The client's current time according to the command: the earliest time that is a whole argument;
 * otherwise the earliest time inside of an argument. Null if no argument has a time.
 */
export function passedMs({ args }: ExecutedCommand, producedAts: readonly number[]): number | null {
  const own = args.slice(argumentsFrom(args))
  const whole = own.flatMap((one) => (one.match(forms)?.[0] === one ? (timeIn(one, producedAts) ?? []) : []))
  const times =
    whole.length > 0
      ? whole
      : own.flatMap((one) => one.match(forms)?.flatMap((text) => timeIn(text, producedAts) ?? []) ?? [])
  return times.length === 0 ? null : Math.min(...times)
}

/** The command with all times shifted, except produced-at times. */
export function withTimes(command: ExecutedCommand, byMs: number, producedAts: readonly number[]): ExecutedCommand {
  const from = argumentsFrom(command.args)
  const args = command.args.map((one, at) =>
    at < from ? one : one.replaceAll(forms, (text) => movedText(text, byMs, producedAts)),
  )
  return { ...command, args }
}

function movedText(text: string, byMs: number, producedAts: readonly number[]): string {
  const ms = timeIn(text, producedAts)
  if (ms === null) return text
  const moved = ms + Math.round(byMs)
  if (text.includes('T')) return new Date(moved).toISOString()
  if (/^\d{13}$/.test(text)) return String(moved)
  return (moved / 1000).toFixed(text.split('.')[1]?.length ?? 0)
}
