import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { runCampaign } from '../../../src/campaign/conduct/campaign.ts'
import { inlineExecutor } from '../../../src/campaign/conduct/inline-executor.ts'
import type { PairChoice, PairPlan } from '../../../src/campaign/play/campaign-request.ts'
import type { Executor } from '../../../src/campaign/play/executor.ts'
import { oneAtATime } from '../../../src/campaign/play/one-at-a-time.ts'
import { itemsOf } from '../../../src/campaign/shard/choose-shard.ts'
import { type FoundShard, joinShards } from '../../../src/campaign/shard/join-shards.ts'
import {
  nothingPlayed,
  type Played,
  recordingExecutor,
  rememberingExecutor,
} from '../../../src/campaign/shard/played.ts'
import { readShardText, type ShardRecord, shardText } from '../../../src/campaign/shard/shard-file.ts'
import { canonicalJson } from '../../../src/contract/api/json.ts'
import { fakeBench, fakeContext } from '../fake-deps.ts'

const choices: PairChoice[] = ['a', 'b', 'c', 'd', 'e'].map((name) => ({
  scenarioPath: '/here/s.ts',
  scenarioName: 's',
  sink: 'plain',
  corpus: [],
  runMs: 1,
  implementationPath: `/here/${name}.ts`,
  implementationName: name,
}))

const pairs: PairPlan[] = choices.map((choice) => ({ choice, bound: { runs: 120 } }))

async function campaign(executor: Executor, some: readonly PairPlan[]): Promise<string> {
  const request = {
    pairs: some,
    control: choices[0]!,
    seed: 3,
    layers: 'must-hold' as const,
    bail: false,
    cheaper: [],
    reports: 'r',
  }
  const explain = { layer: 50_000, path: 5_000, checks: 10_000 }
  const { pictures, ...rest } = await runCampaign({ ...request, explain }, fakeContext(fakeBench(), { executor }))
  // The page writes pictures with sorted members.
  return `${JSON.stringify(rest)}\n${canonicalJson(pictures)}`
}

const alone = (): Executor => inlineExecutor(fakeBench(), oneAtATime())

/** An executor that counts its tasks. */
function counted(): { executor: Executor; asked: { chunks: number; shrinks: number } } {
  const asked = { chunks: 0, shrinks: 0 }
  const executor = alone()
  const counting: Executor = {
    ...executor,
    runChunk(task) {
      asked.chunks++
      return executor.runChunk(task)
    },
    shrink(task) {
      asked.shrinks++
      return executor.shrink(task)
    },
  }
  return { executor: counting, asked }
}

async function shardOf(index: number, of: number): Promise<FoundShard> {
  const played = nothingPlayed()
  const all = pairs.map((item) => ({ item, name: item.choice.implementationName, cost: 1 }))
  await campaign(
    recordingExecutor(alone(), played, () => false),
    itemsOf(all, { index, of }),
  )
  const read = readShardText(shardText({ shard: { index, of }, campaign: { seed: 3 }, played }))
  if (!read.ok) throw new Error(read.problem)
  return { folder: `shard-${index}`, record: read.record }
}

describe('shards of a campaign', () => {
  it.each([1, 2, 3, 7])('give the same bytes when joined as one machine: %i shards', async (of) => {
    const shards = await Promise.all(Array.from({ length: of }, (_, at) => shardOf(at + 1, of)))
    const joined = joinShards(shards)
    if (!joined.ok) throw new Error(joined.remedy)
    const { executor, asked } = counted()
    expect(await campaign(rememberingExecutor(executor, joined.played), pairs)).toBe(await campaign(alone(), pairs))
    expect(asked).toEqual({ chunks: 0, shrinks: 0 })
  })

  it('leave runs that a shard did not play to the merge', async () => {
    const { record } = await shardOf(1, 2)
    const { executor, asked } = counted()
    expect(await campaign(rememberingExecutor(executor, record.played), pairs)).toBe(await campaign(alone(), pairs))
    expect(asked.chunks).toBeGreaterThan(0)
  })

  it('keep no interrupted results', async () => {
    const played = nothingPlayed()
    await campaign(
      recordingExecutor(alone(), played, () => true),
      pairs,
    )
    expect(played).toEqual(nothingPlayed())
  })
})

describe('the items of shards', () => {
  const all = fc
    .array(fc.nat({ max: 100 }), { maxLength: 40 })
    .map((costs) => costs.map((cost, at) => ({ item: at, name: `pair ${at}`, cost })))
  const count = fc.integer({ min: 1, max: 9 })
  const shards = <T>(items: readonly { item: T; name: string; cost: number }[], of: number) =>
    Array.from({ length: of }, (_, at) => itemsOf(items, { index: at + 1, of }))

  it('are complete, disjoint and sorted', () => {
    fc.assert(
      fc.property(all, count, (items, of) => {
        const found = shards(items, of)
        expect(found.flat().sort((a, b) => a - b)).toEqual(items.map(({ item }) => item))
        for (const one of found) expect(one).toEqual([...one].sort((a, b) => a - b))
      }),
    )
  })

  it('differ in cost by at most one item', () => {
    fc.assert(
      fc.property(all, count, (items, of) => {
        const loads = shards(items, of).map((one) => one.reduce((sum, item) => sum + items[item]!.cost, 0))
        expect(Math.max(...loads) - Math.min(...loads)).toBeLessThanOrEqual(
          Math.max(0, ...items.map(({ cost }) => cost)),
        )
      }),
    )
  })
})

describe('shards are refused with the culprit and advice', () => {
  const shard = (
    folder: string,
    index: number,
    campaign: ShardRecord['campaign'] = { seed: 1 },
    of = 2,
  ): FoundShard => ({
    folder,
    record: { shard: { index, of }, campaign, played: nothingPlayed() satisfies Played },
  })
  it.each([
    ['none', [], 'merge', /^name all folders/],
    ['another seed', [shard('a', 1), shard('b', 2, { seed: 2 })], 'b', /^its seed is 2, but that of a is 1; /],
    [
      'another option',
      [shard('a', 1), shard('b', 2, { seed: 1, runs: 9 })],
      'b',
      /^its runs is 9, but that of a is null/,
    ],
    ['another count', [shard('a', 1), shard('b', 2, { seed: 1 }, 3)], 'b', /^one of 3 shards, but a is one of 2; /],
    ['one twice', [shard('a', 1), shard('b', 1)], 'b', /^shard 1\/2 again, like a; remove one of them$/],
    ['one missing', [shard('a', 2)], 'shard 1 of 2', /^missing; name the folders of all shards$/],
  ])('%s', (_, found, culprit, remedy) => {
    expect(joinShards(found)).toEqual({ ok: false, culprit, remedy: expect.stringMatching(remedy) })
  })

  it('but not if they fit together', () => {
    expect(joinShards([shard('a', 2), shard('b', 1)])).toMatchObject({ ok: true, campaign: { seed: 1 } })
  })
})

describe('the file of a shard is refused', () => {
  const text = shardText({ shard: { index: 1, of: 2 }, campaign: { seed: 1 }, played: nothingPlayed() })
  it.each([
    ['cut short', text.slice(0, -9), 'incomplete'],
    ['of another version', text.replace('"version":2', '"version":1'), 'another version'],
    ['no shard', text.replace('"index":1', '"index":3'), 'no shard number'],
    ['no campaign', text.replace('{"seed":1}', '7'), 'no description of its campaign'],
    ['no chunks', text.replace('"chunks":[]', '"chunks":{}'), 'damaged'],
    ['a chunk without a tally', text.replace('"chunks":[]', '"chunks":[["{}",{"version":1}]]'), 'no tally'],
    ['an invalid counterexample', text.replace('"shrunk":[]', '"shrunk":[["{}",{}]]'), 'counterexamples'],
    ['an invalid exploration', text.replace('"explored":[]', '"explored":[["{}",{}]]'), 'explorations'],
    ['nothing', 'null', 'another version'],
  ])('%s', (_, altered, problem) => {
    expect(altered).not.toBe(text)
    expect(readShardText(altered)).toEqual({ ok: false, problem: expect.stringContaining(problem) })
  })

  it('but not if it is unchanged', () => {
    expect(readShardText(text)).toMatchObject({ ok: true, record: { shard: { index: 1, of: 2 } } })
  })
})
