import { describe, expect, it } from 'vitest'
import { type AskedStore, Crosscheck, type TrafficPlayer } from '../../../src/campaign/crosscheck/crosscheck.ts'
import { loadPair } from '../../../src/campaign/play/load-pair.ts'
import { oneAtATime } from '../../../src/campaign/play/one-at-a-time.ts'
import type { PlayedPair } from '../../../src/campaign/play/pair-progress.ts'
import { requestOf } from '../../../src/campaign/play/run-chunk.ts'
import { playTraffic } from '../../../src/campaign/play/run-traffic.ts'
import { pairTask } from '../../../src/campaign/play/tasks.ts'
import { emptyTally } from '../../../src/campaign/tally/tally.ts'
import { trailOf } from '../../../src/campaign/token/trail.ts'
import type { CampaignDeps } from '../../../src/campaign/types.ts'
import { createDeps } from '../../../src/cli/create-deps.ts'
import { select } from '../../../src/cli/select.ts'
import { fakeBench } from '../fake-deps.ts'

const names = { scenarioPath: 's', scenarioName: 's', implementationPath: 'layer', implementationName: 'layer' }
const choice = { ...names, sink: 'plain' as const, corpus: [], runMs: 1 }
const server = { version: '7.0', stop: async () => {} }
const played = { traffic: [], sessions: [], trail: { stepCount: 0, trail: '', digest: 'of a worker' } }

/** Crosschecks a pair of 40 runs, two of which are replayed. `fails`: the harness failed in it. */
async function crosschecked(executor: TrafficPlayer['executor'], how: { fails?: boolean; without?: boolean } = {}) {
  const inThisThread: number[] = []
  const bench = fakeBench({ sound: true })
  const deps: CampaignDeps = {
    ...bench,
    runWorld: (request) => {
      inThisThread.push(request.choices.seed!)
      return bench.runWorld(request)
    },
  }
  const replayed: string[] = []
  const store: AskedStore<typeof server> = {
    kind: 'redis',
    offer: how.without ? { kind: 'none', reason: 'there is none' } : { kind: 'ready', start: async () => server },
    replay: async ({ trail: { digest } }) => {
      replayed.push(digest)
      return { compared: 1, byRule: 0, leftOut: new Map(), difference: null }
    },
  }
  const crosscheck = new Crosscheck(store, 1, 1, { deps, executor, elapsedMs: () => 0, alone: oneAtATime() })
  const progress = { tally: { ...emptyTally(), runs: 40 }, failure: how.fails ? 'it fell over' : null }
  const pair = await loadPair(choice, deps)
  const ended = { plan: { choice, bound: { runs: 40 } }, pair, progress } as unknown as PlayedPair
  crosscheck.add(ended, { place: 0, end: 'dear' })
  return { result: await crosscheck.result(), replayed, inThisThread: inThisThread.length }
}

describe('a crosscheck beside workers', () => {
  it('compares the same runs that this thread would have played, at the end of the pair', async () => {
    const asked: unknown[] = []
    const traffic: TrafficPlayer['executor']['traffic'] = async ({ scenarioName, fresh }, runs, end) => {
      asked.push({ scenarioName, fresh, runs, end })
      return runs.map(() => played)
    }
    const { result, replayed, inThisThread } = await crosschecked({ traffic })
    expect(result).toMatchObject({ verdict: 'agrees', runs: 2, commands: 2 })
    expect(asked).toEqual([{ scenarioName: 's', fresh: false, runs: [0, 25], end: 'dear' }])
    expect(replayed).toEqual(['of a worker', 'of a worker'])
    expect(inThisThread).toBe(0)
    expect(await crosschecked({})).toMatchObject({ result: { runs: 2 }, inThisThread: 2 })
  })

  it('requests nothing from workers if nothing will be compared', async () => {
    const traffic = () => Promise.reject(new Error('it was asked'))
    expect((await crosschecked({ traffic }, { without: true })).result).toMatchObject({ reason: 'there is none' })
    expect((await crosschecked({ traffic }, { fails: true })).result).toMatchObject({ reason: 'nothing to compare' })
  })

  it('passes on errors of workers, and counts runs skipped after an interruption as not played', async () => {
    const failing = () => Promise.reject(new Error('it fell over'))
    await expect(crosschecked({ traffic: failing })).rejects.toThrow('it fell over')
    const { result } = await crosschecked({ traffic: async () => [played] })
    expect(result).toMatchObject({ verdict: 'agrees', runs: 1 })
  })
})

describe.each([
  ['001-get-set', 'redis-failover'],
  ['reference-postgres', 'postgres-crash'],
])('traffic of %s under %s', (layer, scenario) => {
  it('is plain data that can cross threads, from runs of the campaign', async () => {
    const deps = createDeps(() => false)
    const [implementation] = await select('implementation', [layer], deps)
    const [world] = await select('scenario', [scenario], deps)
    const pair = {
      ...{ scenarioPath: world!.path, scenarioName: scenario },
      ...{ implementationPath: implementation!.path, implementationName: layer, sink: 'plain' as const },
    }
    const task = pairTask(pair, { seed: 1, fresh: false })
    const [first, second] = await playTraffic(task, [0, 25], deps)
    expect(structuredClone(first)).toEqual(first)
    expect([...first!.traffic!, ...first!.sessions!].length).toBeGreaterThan(10)
    const loaded = await loadPair(task, deps)
    for (const [run, traffic] of [[0, first] as const, [25, second] as const])
      expect(traffic!.trail).toEqual(trailOf(await deps.runWorld(requestOf(task, loaded, run))))
  })
})
