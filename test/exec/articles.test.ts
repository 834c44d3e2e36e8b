import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import competingConsumers from '../../scenarios/competing-consumers.ts'
import crashMidLogic from '../../scenarios/crash-mid-logic.ts'
import redeliveryStorm from '../../scenarios/redelivery-storm.ts'
import { drawRun } from '../../src/campaign/draw-run.ts'
import { judge } from '../../src/check/index.ts'
import type { Scenario } from '../../src/contract/scenario.ts'
import { type LoadedImplementation, loadImplementation } from '../../src/sim/runtime/load-implementation.ts'
import { runWorld } from '../../src/sim/world.ts'
import { load, python, withoutPython } from './programs.ts'

const folder = fileURLToPath(new URL('../../implementations/', import.meta.url))

/** Which invariants some run breaks. */
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

describe.skipIf(python === null)(`articles' patterns with redis-py (${withoutPython})`, () => {
  const pairs: [string, string, Scenario, string][] = [
    ['set_nx_marker', '000-set-nx-marker', crashMidLogic, 'no-false-done'],
    ['get_set_record', '000-get-set-record', competingConsumers, 'at-most-once'],
    ['lua_acquire', '000-lua-acquire', redeliveryStorm, 'at-most-once'],
    ['get_then_processing', '002-get-then-processing', crashMidLogic, 'no-false-done'],
    ['watch_multi', '002-watch-multi', crashMidLogic, 'no-false-done'],
    ['set_nx_in_progress', '003-set-nx-in-progress', crashMidLogic, 'at-most-once'],
  ]
  it.each(pairs)('%s breaks as %s does', async (script, adapter, scenario, invariant) => {
    const inPython = await load(`exec:${python} ${path.join(folder, 'exec/articles', `${script}.py`)}`)
    const inNode = await loadImplementation(path.join(folder, 'articles', `${adapter}.ts`))
    const runs = 16
    expect(await broken(inPython, scenario, runs)).toContain(invariant)
    expect(await broken(inNode, scenario, runs)).toContain(invariant)
  })
})
