/** The explorations of a shard reach the merge. */
import { expect, it } from 'vitest'
import type { Executor } from '../../../src/campaign/play/executor.ts'
import { joinShards } from '../../../src/campaign/shard/join-shards.ts'
import {
  nothingPlayed,
  type Played,
  recordingExecutor,
  rememberingExecutor,
} from '../../../src/campaign/shard/played.ts'
import { readShardText, shardText } from '../../../src/campaign/shard/shard-file.ts'
import { alone, campaign } from '../conduct/exploring-campaign.ts'

const wanted = { layer: '000-lua-acquire', runs: 1 }

/** The results as the merge writes them, and the number of explorations that it played. */
async function merged(played: Played) {
  let explorations = 0
  const executor = alone()
  const counting: Executor = {
    ...executor,
    explore(task) {
      explorations++
      return executor.explore(task)
    },
  }
  return {
    text: JSON.stringify(await campaign({ ...wanted, executor: rememberingExecutor(counting, played) })),
    explorations,
  }
}

it('a merge gives the same bytes as one machine, and explores only what no shard explored', async () => {
  const own = nothingPlayed()
  const shard = await campaign({ ...wanted, executor: recordingExecutor(alone(), own, () => false) })
  const text = JSON.stringify(shard)
  expect(shard.explored).toHaveLength(1)
  const read = readShardText(shardText({ shard: { index: 1, of: 1 }, campaign: {}, played: own }))
  const joined = joinShards(read.ok ? [{ folder: 's1', record: read.record }] : [])
  expect(await merged(joined.ok ? joined.played : nothingPlayed())).toEqual({ text, explorations: 0 })
  expect(await merged({ ...own, explored: new Map() })).toEqual({ text, explorations: own.explored.size })
  expect(own.explored.size).toBeGreaterThan(1)
})

it('a shard keeps no exploration that was interrupted', async () => {
  const own = nothingPlayed()
  await campaign({ ...wanted, executor: recordingExecutor(alone(), own, () => true) })
  expect(own).toEqual(nothingPlayed())
})
