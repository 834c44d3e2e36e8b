import { describe, expect, it } from 'vitest'
import { median } from '../../bench/spread.ts'
import { catalogue } from '../../src/cli/catalogue.ts'
import { loadScenario } from '../../src/cli/load-scenario.ts'
import type { Scenario } from '../../src/contract/api/scenario.ts'

type Stated = Pick<Scenario, 'id' | 'shape' | 'runMs'>

/**
 * The faults in the costs that scenarios state. Milliseconds depend on the machine, but on every
 * machine a deployment costs more than one server.
 */
function problemsOf(scenarios: readonly Stated[]): string[] {
  const silent = scenarios.filter(({ runMs }) => runMs === undefined).map(({ id }) => `${id} states no runMs`)
  const costs = (single: boolean) =>
    scenarios.flatMap(({ shape, runMs }) => (runMs !== undefined && (shape === 'single') === single ? [runMs] : []))
  const usual = { single: median(costs(true)), deployment: median(costs(false)) }
  const strange = scenarios.filter(({ shape, runMs }) =>
    shape === 'single' ? runMs! >= usual.deployment : runMs! <= usual.single,
  )
  return [...silent, ...strange.map(({ id, runMs }) => `${id} states ${runMs} ms, as no scenario of its shape costs`)]
}

describe('the cost of a run', () => {
  it('is stated by every scenario of the catalogue, and is higher on a deployment', async () => {
    const scenarios = await Promise.all(catalogue('scenario').map(({ path }) => loadScenario(path)))
    expect(scenarios.length).toBeGreaterThan(15)
    expect(problemsOf(scenarios)).toEqual([])
  })

  it('is reported if it is missing, or if one server costs as much as a deployment', () => {
    const single = { shape: 'single' as const, runMs: 5 }
    const deployments: Stated[] = [
      { id: 'd', shape: 'sentinel', runMs: 40 },
      { id: 'e', shape: 'cluster', runMs: 130 },
    ]
    const scenarios = [
      { id: 'a', ...single },
      { id: 'b', ...single, runMs: 100 },
      { id: 'c', ...single },
    ]
    expect(problemsOf([...scenarios, ...deployments, { id: 'f', shape: 'single' }])).toEqual([
      'f states no runMs',
      'b states 100 ms, as no scenario of its shape costs',
    ])
  })
})
