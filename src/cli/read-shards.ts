import fs from 'node:fs'
import path from 'node:path'
import { type FoundShard, joinShards } from '../campaign/shard/join-shards.ts'
import { readShardText, shardFile } from '../campaign/shard/shard-file.ts'
import { latestReport } from './report-folder.ts'
import type { Merging } from './shard-part.ts'
import { UsageError } from './usage-error.ts'

/**
 * `target`: the folder of the merged report. @throws UsageError if the folders are not exactly the
 * shards of one campaign
 */
export function readShards(folders: readonly string[], target: string): Merging {
  const found = folders.map((folder) => readShard(folder, target))
  const joined = joinShards(found)
  if (!joined.ok) throw new UsageError(joined.culprit, joined.remedy)
  return { facts: joined.campaign, played: joined.played }
}

/** Reads one shard. `folder`: the folder of its report, or the folder that `--reports` named. */
function readShard(folder: string, target: string): FoundShard {
  const [file] = [folder, latestReport(folder)]
    .map((one) => path.join(one, shardFile))
    .filter((one) => fs.existsSync(one))
  if (file === undefined)
    throw new UsageError(folder, `not a shard's report (no ${shardFile}); give the folders that --shard wrote`)
  if (path.dirname(path.resolve(file)) === path.resolve(target))
    throw new UsageError(
      `--reports ${path.dirname(target)}`,
      `the shard in ${folder} would be overwritten; choose another`,
    )
  const read = readShardText(fs.readFileSync(file, 'utf8'))
  if (read.ok) return { folder, record: read.record }
  throw new UsageError(file, `${read.problem}; copy it again, or replay the shard`)
}
