import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { perturbations, playPerturbed, type SelectionRequest } from '../../../src/campaign/live/perturbed-runs.ts'
import { selectLiveRuns } from '../../../src/campaign/live/select-live-runs.ts'
import { drawRun } from '../../../src/campaign/play/draw-run.ts'
import { createDeps } from '../../../src/cli/create-deps.ts'
import type { Scenario } from '../../../src/contract/api/scenario.ts'

const deps = createDeps(() => false)
const file = (name: string) => fileURLToPath(new URL(`../../../${name}.ts`, import.meta.url))

const planOf = (scenario: Scenario) => (run: number) => {
  const { value, choiceSeed } = drawRun(scenario, 1, run)
  return { plan: value.value, choiceSeed }
}

const pairOf = async (implementation: string) => ({
  scenario: await deps.loadScenario(file('scenarios/competing-consumers')),
  implementation: await deps.loadImplementation(file(`implementations/${implementation}`)),
})
const asked = { sink: 'plain', wanted: 2, longestMs: 20_000, notMade: () => [] } as const

const selectOf = async (implementation: string, more: Partial<SelectionRequest> = {}) => {
  const pair = await pairOf(implementation)
  return selectLiveRuns(pair, { ...asked, planned: planOf(pair.scenario), ...more }, deps)
}

/** The duration of the shortest candidate run. */
const shortestOf = async (implementation: string) => {
  const pair = await pairOf(implementation)
  const request = { ...asked, planned: planOf(pair.scenario) }
  let shortestMs = Number.POSITIVE_INFINITY
  for (let run = 0; run < 150; run++) {
    const played = await playPerturbed(pair, request, run, perturbations[0]!, deps)
    shortestMs = Math.min(shortestMs, played!.takesMs)
  }
  return shortestMs
}

describe('the runs that are selected for real servers', () => {
  it('break a broken layer with any choices, and are the same for the same seed', async () => {
    const { runs } = await selectOf('articles/001-get-set')
    expect(runs[0]).toMatchObject({ way: 'at-most-once duplicate', says: 'at-most-once duplicate in 16 of 16' })
    expect((await selectOf('articles/001-get-set')).runs).toEqual(runs)
  })

  it('reach the goals if the layer holds', async () => {
    const { runs, whyNone } = await selectOf('reference/reference')
    expect(runs).toMatchObject([{ way: null, says: 'holds' }, { way: null }])
    expect(whyNone).toBeNull()
  })

  it('include only feasible runs', async () => {
    const why = 'it would harm other users of the server; use --allow-destructive'
    const seen: number[] = []
    const notMade: SelectionRequest['notMade'] = ({ faults }) => {
      seen.push(faults.length)
      return faults.map(({ kind }) => ({ fault: kind, why }))
    }
    const { runs, refused } = await selectOf('articles/001-get-set', { notMade })
    expect(runs.length).toBeGreaterThan(0)
    expect(refused).toEqual([])
    expect(seen.some((faults) => faults > 0)).toBe(true)
  })

  it('are empty if no run is feasible, which is reported with the cause and the remedy', async () => {
    const refusal = { fault: 'redis-flushed', why: 'it would harm others; --allow-destructive makes it' }
    expect(await selectOf('articles/001-get-set', { notMade: () => [refusal] })).toEqual({
      runs: [],
      refused: [{ run: 0, ...refusal }],
      whyNone: `all 150 runs need redis-flushed (${refusal.why})`,
    })
  })

  it('are empty if some are infeasible and the others too long, which is reported with both counts', async () => {
    const refusal = { fault: 'crash', why: 'not here' }
    let planned = 0
    const notMade = () => (planned++ < 60 ? [refusal] : [])
    const { whyNone } = await selectOf('articles/001-get-set', { notMade, longestMs: Number.NEGATIVE_INFINITY })
    // The reasons of a refused run are requested a second time.
    expect(whyNone).toBe('of 150 runs, 30 need crash (not here); 120 last longer than -Infinity ms')
  })

  it('are empty if the only short run is short by chance, which is reported', async () => {
    const shortestMs = await shortestOf('reference/reference')
    const { runs, whyNone } = await selectOf('reference/reference', { longestMs: shortestMs })
    expect(runs).toEqual([])
    const bound = `${Math.round(shortestMs)} ms`
    expect(whyNone).toBe(`of 150 runs, 149 last longer than ${bound}; 1 last longer than ${bound} with some timings`)
  })

  it('are empty if no run is short enough, which is reported', async () => {
    const { runs, whyNone } = await selectOf('articles/001-get-set', { longestMs: Number.NEGATIVE_INFINITY })
    expect(runs).toEqual([])
    expect(whyNone).toMatch(/^all 150 runs last longer than/)
  })
})
