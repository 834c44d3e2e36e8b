/**
 * Checks that the given shards belong to one campaign, and that each shard occurs exactly once.
 * Merges their results.
 */
import { canonicalJson } from '../../contract/api/json.ts'
import { nothingPlayed, type Played } from './played.ts'
import type { ShardRecord } from './shard-file.ts'

/** A shard, with the folder in which it was found. */
export interface FoundShard {
  readonly folder: string
  readonly record: ShardRecord
}

export type JoinedShards =
  | { readonly ok: true; readonly campaign: ShardRecord['campaign']; readonly played: Played }
  | { readonly ok: false; readonly culprit: string; readonly remedy: string }

export function joinShards(found: readonly FoundShard[]): JoinedShards {
  const [first] = found
  if (first === undefined) return no('merge', 'name all folders that `--shard` wrote')
  for (const one of found) {
    const why = otherThan(first, one)
    if (why !== null) return no(one.folder, `${why}; merge the shards of one campaign`)
  }
  const seen = new Map<number, string>()
  for (const { folder, record } of found) {
    const { index, of } = record.shard
    const before = seen.get(index)
    if (before !== undefined) return no(folder, `shard ${index}/${of} again, like ${before}; remove one of them`)
    seen.set(index, folder)
  }
  const { of } = first.record.shard
  const missing = Array.from({ length: of }, (_, at) => at + 1).filter((index) => !seen.has(index))
  if (missing.length > 0) return no(`shard ${missing.join(', ')} of ${of}`, 'missing; name the folders of all shards')
  return { ok: true, campaign: first.record.campaign, played: together(found) }
}

/**
 * The first difference that shows that the shards belong to different campaigns; null if there is
 * none.
 */
function otherThan({ folder, record }: FoundShard, other: FoundShard): string | null {
  const { of } = record.shard
  if (other.record.shard.of !== of) return `one of ${other.record.shard.of} shards, but ${folder} is one of ${of}`
  const names = new Set([...Object.keys(record.campaign), ...Object.keys(other.record.campaign)])
  for (const name of names) {
    const [here, there] = [record, other.record].map(({ campaign }) => canonicalJson(campaign[name]))
    if (here !== there) return `its ${name} is ${short(there!)}, but that of ${folder} is ${short(here!)}`
  }
  return null
}

function short(text: string): string {
  return text.length <= 60 ? text : `${text.slice(0, 57)}…`
}

function together(found: readonly FoundShard[]): Played {
  const played = nothingPlayed()
  for (const { record } of found) {
    for (const [task, tally] of record.played.chunks) played.chunks.set(task, tally)
    for (const [task, shrunk] of record.played.shrunk) played.shrunk.set(task, shrunk)
    for (const [task, explored] of record.played.explored) played.explored.set(task, explored)
  }
  return played
}

function no(culprit: string, remedy: string): JoinedShards {
  return { ok: false, culprit, remedy }
}
