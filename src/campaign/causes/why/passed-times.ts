/**
 * Times that clients pass to scripts: among their arguments, alone or in JSON, as ISO 8601 with milliseconds and a Z, or as
 * seconds or milliseconds since the Unix epoch. Other forms are not known for times. The stamp of a message (`producedAt`) is
 * none of them: it says when its key was born, not what a client takes for the present.
 */
import { epochMs } from 'virtual-node/kernel'
import type { ExecutedCommand } from '../../../sim/world.ts'
import type { Evidence } from './evidence.ts'

/** No clock of a run is further off, and no run is longer. */
const nearMs = 400 * 24 * 3_600_000

const forms =
  /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z|(?<![\w.-])\d{13}(?![\w.])|(?<![\w.-])\d{10}(?:\.\d{1,6})?(?![\w.])/g

/** In milliseconds since the Unix epoch; null where it is none of a run. */
function msOf(text: string): number | null {
  const ms = text.includes('T') ? Date.parse(text) : Number(text) * (/^\d{13}$/.test(text) ? 1 : 1000)
  return Math.abs(ms - epochMs) < nearMs ? ms : null
}

/** Of the messages of the violation's key, in milliseconds since the Unix epoch. A copy has the stamp of its message. */
export function stampsOf({ reading, violation }: Evidence): readonly number[] {
  const published = reading.ofKey('published', violation.key ?? '')
  const bornMs = epochMs + (published[0]?.atUs ?? 0) / 1000
  return published.map(({ stampOffMs = 0 }) => bornMs + stampOffMs)
}

/** The time in `text`, where that is no stamp; to a second, where it is told in whole seconds. */
function timeIn(text: string, stamps: readonly number[]): number | null {
  const ms = msOf(text)
  const leewayMs = text.length === 10 ? 1000 : 1
  return ms === null || stamps.some((stamp) => Math.abs(ms - stamp) <= leewayMs) ? null : ms
}

/** Where the arguments of a script begin, behind its keys. */
const argumentsFrom = (args: readonly string[]): number => 3 + Number(args[2])

/** What its client took for the present: the earliest of the times that are an argument, else of those within one. Null for none. */
export function passedMs({ args }: ExecutedCommand, stamps: readonly number[]): number | null {
  const own = args.slice(argumentsFrom(args))
  const whole = own.flatMap((one) => (one.match(forms)?.[0] === one ? (timeIn(one, stamps) ?? []) : []))
  const times =
    whole.length > 0
      ? whole
      : own.flatMap((one) => one.match(forms)?.flatMap((text) => timeIn(text, stamps) ?? []) ?? [])
  return times.length === 0 ? null : Math.min(...times)
}

/** The same command with all its times so much later, but for stamps. */
export function withTimes(command: ExecutedCommand, byMs: number, stamps: readonly number[]): ExecutedCommand {
  const from = argumentsFrom(command.args)
  const args = command.args.map((one, at) =>
    at < from ? one : one.replaceAll(forms, (text) => movedText(text, byMs, stamps)),
  )
  return { ...command, args }
}

function movedText(text: string, byMs: number, stamps: readonly number[]): string {
  const ms = timeIn(text, stamps)
  if (ms === null) return text
  const moved = ms + Math.round(byMs)
  if (text.includes('T')) return new Date(moved).toISOString()
  if (/^\d{13}$/.test(text)) return String(moved)
  return (moved / 1000).toFixed(text.split('.')[1]?.length ?? 0)
}
