import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import competingConsumers from '../../scenarios/competing-consumers.ts'
import crashMidLogic from '../../scenarios/crash-mid-logic.ts'
import redeliveryStorm from '../../scenarios/redelivery-storm.ts'
import { drawRun } from '../../src/campaign/play/draw-run.ts'
import { judge } from '../../src/check/index.ts'
import type { Scenario } from '../../src/contract/api/scenario.ts'
import type { LoadedImplementation } from '../../src/sim/adapters/load-implementation.ts'
import { runWorld } from '../../src/sim/world.ts'
import { needs, pathOf } from '../needs/needs.ts'
import { load } from './programs.ts'

const folder = fileURLToPath(new URL('../../implementations/', import.meta.url))

/** The invariants that some run breaks. */
async function broken(implementation: LoadedImplementation, scenario: Scenario, runs: number): Promise<string[]> {
  const found = new Set<string>()
  for (let run = 0; run < runs; run++) {
    const { value, choiceSeed } = drawRun(scenario, 1, run)
    const request = { scenario, implementation, sink: 'plain', plan: value.value, record: false } as const
    const { history } = await runWorld({ ...request, choices: { seed: choiceSeed } })
    for (const { name, verdict } of judge(history, scenario.invariants))
      if (verdict.verdict === 'violated') found.add(name)
  }
  return [...found].sort()
}

needs({ python: 'redis' }).describe("articles' patterns with redis-py", () => {
  // The same settings as the adapters of these articles, by their headers.
  const scripts: [string, Scenario, string][] = [
    ['set_nx_marker', crashMidLogic, 'no-false-done'],
    ['get_set_record', competingConsumers, 'at-most-once'],
    ['lua_acquire', redeliveryStorm, 'at-most-once'],
    ['get_then_processing', crashMidLogic, 'no-false-done'],
    ['watch_multi', crashMidLogic, 'no-false-done'],
    ['set_nx_in_progress', crashMidLogic, 'at-most-once'],
  ]
  it.each(scripts)('%s breaks', async (script, scenario, invariant) => {
    const inPython = await load(`exec:${pathOf('python')} ${path.join(folder, 'exec/articles', `${script}.py`)}`)
    expect(await broken(inPython, scenario, 16)).toContain(invariant)
  })
})
