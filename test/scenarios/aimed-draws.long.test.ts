import { describe, expect, it } from 'vitest'
import { aimOf } from '../../src/campaign/play/draw-run.ts'
import { requestOf } from '../../src/campaign/play/run-chunk.ts'
import { catalogue } from '../../src/cli/catalogue.ts'
import { createDeps } from '../../src/cli/create-deps.ts'
import { loadScenario } from '../../src/cli/load-scenario.ts'
import type { Scenario } from '../../src/contract/api/scenario.ts'
import { pairById } from './pair-by-id.ts'

const bench = createDeps(() => false)
/** Runs of a deployment cost more. */
const playedOf = ({ shape }: Pick<Scenario, 'shape'>) => (shape === 'single' ? 10 : 6)

/** The layers that must reach the goals that do not apply to the reference. */
const others: Readonly<Record<string, string>> = {
  'an-offline-queue-was-sent-minutes-later': '000-decorator-lease',
  'a-wait-was-sent-again': 'canary-wait-on-defaults',
  'a-commit-was-in-doubt': '003-postgres-skip-locked',
  'a-commit-was-never-executed': '003-postgres-skip-locked',
}

/** A layer that can be played in the scenario. */
const usualOf = ({ stores = ['redis'], onlySink, shape }: Pick<Scenario, 'stores' | 'onlySink' | 'shape'>): string => {
  if (shape === 'independent') return '002-redlock-on-five'
  if (stores.includes('redis')) return 'reference'
  return onlySink === 'transactional' ? 'reference-postgres' : 'reference-postgres-outside'
}

const scenarios = await Promise.all(catalogue('scenario').map(({ path }) => loadScenario(path)))

/**
 * For each goal of the scenario: in how many of the first runs of the draw the layer reaches it.
 */
async function reachedBy(
  layerId: string,
  scenarioId: string,
  draw: number | null,
): Promise<ReadonlyMap<string, number>> {
  const sink = layerId === 'reference-postgres' ? 'transactional' : 'plain'
  const { task, pair } = await pairById(layerId, scenarioId, bench, sink)
  const played = playedOf(pair.scenario)
  const counts = new Map<string, number>()
  for (let run = 0, left = played; left > 0; run++) {
    if (aimOf(pair.scenario.aimed, run) !== draw) continue
    left--
    const { history } = await bench.runWorld(requestOf(task, pair, run))
    for (const goal of pair.scenario.goals)
      if (bench.reached(goal, history)) counts.set(goal, 1 + (counts.get(goal) ?? 0))
  }
  return counts
}

describe.each(scenarios.filter(({ aimed }) => aimed !== undefined))('$id', (scenario) => {
  const { id, aimed, shape } = scenario
  const layerOf = (goal: string) => others[goal] ?? usualOf(scenario)

  it.each(aimed!.draws.map(({ goals }, draw) => ({ draw, goals })))(
    'reaches $goals in at least half of the runs that are aimed at them',
    async ({ draw, goals }) => {
      for (const layer of new Set(goals.map(layerOf))) {
        const reached = await reachedBy(layer, id, draw)
        for (const goal of goals.filter((one) => layerOf(one) === layer))
          expect([goal, reached.get(goal) ?? 0]).toEqual([
            goal,
            expect.toSatisfy((n: number) => n >= playedOf({ shape }) / 2),
          ])
      }
    },
  )

  it('gives an aim to no more than half of the runs, and uses each draw at least twice', () => {
    const { minimumRuns = 0 } = scenario
    const runs = Array.from({ length: Math.max(60, minimumRuns) }, (_, run) => aimOf(aimed, run))
    expect(runs.filter((draw) => draw === null).length).toBeGreaterThanOrEqual(runs.length / 2)
    for (const draw of aimed!.draws.keys()) expect(runs.filter((one) => one === draw).length).toBeGreaterThanOrEqual(2)
  })
})

it('runs without an aim seldom reach a rare goal', async () => {
  const reached = await reachedBy('reference', 'crash-mid-logic', null)
  expect(reached.get('a-process-crashed-between-effect-and-acknowledgement') ?? 0).toBeLessThan(5)
})

/**
 * Canaries for one of these faults survived on some seeds when few runs had the fault that early.
 */
it('the scenario `everything` has each of these server faults at the first delivery in at least a twelfth of the runs', async () => {
  const { task, pair } = await pairById('reference', 'everything', bench, 'plain')
  const troubles = ['redis-busy', 'slow-redis', 'redis-loading', 'connection-limit']
  const runs = 240
  const counts = new Map<string, number>()
  for (let run = 0; run < runs; run++) {
    const { faults } = requestOf(task, pair, run).plan
    const early = faults.filter(({ when }) => 'at' in when && when.at === 'delivery-received' && when.nth === 1)
    for (const kind of new Set(early.map((fault) => fault.kind))) counts.set(kind, 1 + (counts.get(kind) ?? 0))
  }
  for (const kind of troubles)
    expect([kind, counts.get(kind) ?? 0]).toEqual([kind, expect.toSatisfy((n: number) => n >= runs / 12)])
  expect(counts.get('dns-failure') ?? 0).toBeLessThan(runs / 12)
})
