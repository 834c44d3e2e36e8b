/** Parses the values of options strictly, so that a mistyped number is an error. */
import { randomInt } from 'node:crypto'
import type { Shard } from '../campaign/shard/choose-shard.ts'
import { type SinkKind, sinkKinds } from '../contract/api/sink.ts'
import { durationText } from '../contract/results/time-text.ts'
import { suggestion } from './nearest.ts'
import { UsageError } from './usage-error.ts'

/** The number of seeds, which is one more than the largest seed. */
const seeds = 2 ** 32

export function readSeed(text: string): number {
  return text === 'random' ? randomInt(seeds) : integer('--seed', text, 0, seeds - 1, ', or `random`')
}

export function readCount(least: number, most = 1e9): (text: string, option: string) => number {
  return (text, option) => integer(option, text, least, most, '')
}

/** `3/8` is the third of eight shards. */
export function readShard(text: string): Shard {
  const [, index, of] = (/^(\d+)\/(\d+)$/.exec(text) ?? []).map(Number)
  if (index !== undefined && of !== undefined && index >= 1 && index <= of && of <= mostShards) return { index, of }
  throw new UsageError(`--shard ${text}`, `give i/n, with i from 1 to n and n up to ${mostShards}, such as 3/8`)
}

const mostShards = 1_000

export function readFactor(text: string, option: string): number {
  const value = Number(text)
  if (/^\d+(\.\d+)?$/.test(text) && value >= 0.01 && value <= 100) return value
  throw new UsageError(`${option} ${text}`, 'give a number from 0.01 to 100, such as 0.2')
}

/** Returns a reader for a duration or `0`, as a whole number of milliseconds within the limits. */
export const readSpan =
  (leastMs: number, mostMs: number) =>
  (text: string, option: string): number => {
    const ms = text === '0' ? 0 : readDuration(text, option)
    if (Number.isInteger(ms) && ms >= leastMs && ms <= mostMs) return ms
    const least = leastMs === 0 ? '0' : durationText(leastMs)
    throw new UsageError(
      `${option} ${text}`,
      `give whole milliseconds from ${least} to ${durationText(mostMs)}, such as 2s`,
    )
  }

/** Reads a duration such as `30s`, `1500ms`, `10m` or `2h`, in milliseconds. */
export function readDuration(text: string, option: string): number {
  const [, amount, unit] = /^(\d+(?:\.\d+)?)(ms|s|m|h)$/.exec(text) ?? []
  if (amount === undefined || Number(amount) === 0)
    throw new UsageError(`${option} ${text}`, 'give a time such as 30s or 10m')
  return Number(amount) * { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 }[unit as 'ms' | 's' | 'm' | 'h']
}

/** Reads a time as milliseconds since the Unix epoch, or in the form of ISO 8601 with its zone. */
export function readTime(text: string, option: string): number {
  const isIso = /^\d{4}-\d\d-\d\dT[\d:.]+(Z|[+-]\d\d:\d\d)$/.test(text)
  const ms = /^\d+$/.test(text) ? Number(text) : isIso ? Date.parse(text) : Number.NaN
  if (Number.isSafeInteger(ms)) return ms
  throw new UsageError(`${option} ${text}`, 'give 0, milliseconds, or a time such as 2026-01-31T12:00:00Z')
}

export function readFence(text: string, option: string): number {
  return integer(option, text, 0, Number.MAX_SAFE_INTEGER, '')
}

export function readSink(text: string): SinkKind {
  if ((sinkKinds as readonly string[]).includes(text)) return text as SinkKind
  throw new UsageError(`--sink ${text}`, suggestion(text, sinkKinds, `choose one of ${sinkKinds.join(', ')}`))
}

function integer(option: string, text: string, least: number, most: number, or: string): number {
  const value = Number(text)
  if (/^\d+$/.test(text) && value >= least && value <= most) return value
  throw new UsageError(`${option} ${text}`, `give an integer from ${least} to ${most}${or}`)
}
