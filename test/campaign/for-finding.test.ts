import { describe, expect, it } from 'vitest'
import { findCounterexample } from '../../src/campaign/explain/counterexample.ts'
import { runChunk } from '../../src/campaign/play/run-chunk.ts'
import { type SearchMode, shrinkTask } from '../../src/campaign/play/tasks.ts'
import type { WorldRequest } from '../../src/campaign/types.ts'
import { fakeBench } from './fake-deps.ts'

const names = { scenarioName: 'fake-crash', implementationName: 'fake', sink: 'plain', seed: 1, fresh: false } as const
const pair = { ...names, scenarioPath: 'fake-crash', implementationPath: 'fake' }

/** Returns the result of a search for the first violation, and the last runs that it played. */
async function searched(mode: SearchMode, budget = 5_000) {
  const played: WorldRequest[] = []
  const deps = fakeBench({ onRun: (request) => played.push(request) })
  const { paths } = await runChunk({ ...pair, from: 0, to: 40, bail: true }, deps)
  played.length = 0
  const found = await findCounterexample(shrinkTask(pair, [...paths.values()][0]!, { mode, budget }), deps)
  return {
    found,
    runs: played.length,
    traced: played.filter(({ runTrace }) => runTrace),
    scrutinised: played.filter((one) => one.scrutinise),
    followed: played.filter((one) => one.positions),
  }
}

describe('a search for a smaller run', () => {
  it('for a finding also traces the run and its nearest passing run', async () => {
    const { found, traced } = await searched('finding')
    expect(found.timeline).not.toBeNull()
    expect(found.nearestPassing!.recorded!.plan.faults).toEqual([])
    expect(found.nearestPassing!.timeline!.events.length).toBeGreaterThan(0)
    expect(traced.map(({ plan }) => plan.faults.length)).toEqual([1, 0])
  })

  it('for a hidden finding gives the same run, and plays and traces no more', async () => {
    const [reported, shown] = [await searched('story'), await searched('finding')]
    expect(reported.found).toMatchObject({ recorded: shown.found.recorded, story: shown.found.story, timeline: null })
    expect(reported.found).not.toHaveProperty('nearestPassing')
    expect(reported.traced).toEqual([])
    expect(reported.found.spent).toBeLessThan(shown.found.spent)
  })

  it('for a canary that is not shrunk plays its run once, with fresh modules', async () => {
    const { runs, scrutinised } = await searched('canary', 0)
    expect([runs, scrutinised.length]).toEqual([1, 1])
  })

  it('loads fresh modules if its run gets a token, but not for a look', async () => {
    expect((await searched('story')).scrutinised).toHaveLength(1)
    expect((await searched('look')).scrutinised).toEqual([])
  })

  it('maps its commands to source lines if its story is read', async () => {
    expect((await searched('story')).followed).toHaveLength(1)
    const unread = await searched('canary')
    expect([unread.followed, unread.scrutinised.length]).toEqual([[], 1])
  })

  it('plays the run without each fault to find the needed ones, if its story is read', async () => {
    const [read, unread] = [await searched('story', 0), await searched('canary', 0)]
    expect(read.found.cause.needs).toEqual(['crash'])
    expect(unread.found.cause.needs).toEqual([])
    expect(unread.found.recorded).toEqual(read.found.recorded)
    expect(unread.runs).toBeLessThan(read.runs)
  })
})

describe('a chunk whose break the caller compares', () => {
  const twice = async (more: Partial<Parameters<typeof runChunk>[0]>) => {
    let runs = 0
    const onRun = ({ scrutinise }: WorldRequest) => void (runs += scrutinise ? 1 : 0)
    await runChunk({ ...pair, from: 0, to: 40, bail: true, ...more }, fakeBench({ onRun }))
    return runs
  }

  it('plays no run twice if one breaks, but its sample if all hold', async () => {
    expect(await twice({ comparesBreak: true })).toBe(0)
    expect(await twice({})).toBeGreaterThan(0)
    expect(await twice({ comparesBreak: true, without: ['crash'] })).toBe(2)
  })
})
