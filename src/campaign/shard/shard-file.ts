/**
 * The file that a shard writes next to its report: the request of the whole campaign, and the
 * results of the shard.
 */
import type { JsonValue } from '../../contract/api/json.ts'
import type { Counterexample } from '../play/executor.ts'
import { exploredFromJson, exploredToJson } from '../results/explored-json.ts'
import { tallyFromJson, tallyToJson } from '../results/tally-json.ts'
import type { Shard } from './choose-shard.ts'
import { nothingPlayed, type Played } from './played.ts'

/** The name of the file in a report. */
export const shardFile = 'shard.json'
const version = 2

export interface ShardRecord {
  readonly shard: Shard
  /**
   * Values that are equal in all shards of a campaign, by name: the tool, the seed, the options,
   * the pairs.
   */
  readonly campaign: { readonly [name: string]: JsonValue }
  readonly played: Played
}

export type ReadShard =
  | { readonly ok: true; readonly record: ShardRecord }
  | { readonly ok: false; readonly problem: string }

/** Members keep their order, because the merge writes them to the results. */
export function shardText({ shard, campaign, played }: ShardRecord): string {
  const chunks = [...played.chunks].map(([task, tally]) => [task, tallyToJson(tally)])
  const explored = [...played.explored].map(([task, found]) => [task, exploredToJson(found)])
  const { index, of } = shard
  const results = { chunks, shrunk: [...played.shrunk], explored }
  return `${JSON.stringify({ version, shard: { index, of }, campaign, ...results })}\n`
}

/** Parses and validates everything, because the file was copied from another machine. */
export function readShardText(text: string): ReadShard {
  let data: Partial<Record<'version' | 'shard' | 'campaign' | 'chunks' | 'shrunk' | 'explored', unknown>>
  try {
    data = JSON.parse(text)
  } catch {
    return problem('incomplete or damaged')
  }
  if (data?.version !== version) return problem('written by another version of onceproof')
  const { index, of } = (data.shard ?? {}) as Shard
  if (!(Number.isSafeInteger(of) && Number.isSafeInteger(index) && index >= 1 && index <= of))
    return problem('it has no shard number')
  if (!isObject(data.campaign)) return problem('it has no description of its campaign')
  if (!isEntries(data.chunks) || !isEntries(data.shrunk) || !isEntries(data.explored))
    return problem('its runs are damaged')
  const played = nothingPlayed()
  for (const [task, tally] of data.chunks) {
    const read = tallyFromJson(tally)
    if (!read.ok) return problem(read.problem)
    played.chunks.set(task, read.tally)
  }
  for (const [task, found] of data.shrunk) {
    if (!isCounterexample(found)) return problem('one of its counterexamples is damaged')
    played.shrunk.set(task, found)
  }
  for (const [task, found] of data.explored) {
    const explored = exploredFromJson(found)
    if (explored === null) return problem('one of its explorations is damaged')
    played.explored.set(task, explored)
  }
  return { ok: true, record: { shard: { index, of }, campaign: data.campaign as ShardRecord['campaign'], played } }
}

function isEntries(value: unknown): value is [string, unknown][] {
  return (
    Array.isArray(value) && value.every((one) => Array.isArray(one) && one.length === 2 && typeof one[0] === 'string')
  )
}

function isCounterexample(value: unknown): value is Counterexample {
  if (!isObject(value)) return false
  const { invariant, violation, story, recorded, cause, ...counts } = value as Partial<Counterexample>
  const counted = [counts.eventCount, counts.faultCount, counts.spent].every((count) => Number.isSafeInteger(count))
  return (
    typeof invariant === 'string' &&
    isObject(violation) &&
    Array.isArray(story) &&
    isObject(recorded) &&
    isObject(cause) &&
    counted
  )
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function problem(text: string): ReadShard {
  return { ok: false, problem: text }
}
