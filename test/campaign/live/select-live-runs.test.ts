import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import type { SelectionRequest } from '../../../src/campaign/live/perturbed-runs.ts'
import { selectLiveRuns } from '../../../src/campaign/live/select-live-runs.ts'
import { createDeps } from '../../../src/cli/create-deps.ts'

const deps = createDeps(() => false)
const file = (name: string) => fileURLToPath(new URL(`../../../${name}.ts`, import.meta.url))

const selectOf = async (implementation: string, more: Partial<SelectionRequest> = {}) => {
  const pair = {
    scenario: await deps.loadScenario(file('scenarios/competing-consumers')),
    implementation: await deps.loadImplementation(file(`implementations/${implementation}`)),
  }
  const request = { seed: 1, sink: 'plain', wanted: 2, longestMs: 20_000, isMakeable: () => true } as const
  return selectLiveRuns(pair, { ...request, prepare: (plan) => plan, ...more }, deps)
}

describe('the runs that are selected for real machines', () => {
  it('break a broken layer whatever the luck, and are the same for the same seed', async () => {
    const runs = await selectOf('articles/001-get-set')
    expect(runs[0]).toMatchObject({ way: 'at-most-once duplicate', says: 'at-most-once duplicate in 16 of 16' })
    expect(await selectOf('articles/001-get-set')).toEqual(runs)
  })

  it('reach the goals where a layer holds', async () => {
    expect(await selectOf('reference/reference')).toMatchObject([{ way: null, says: 'holds' }, { way: null }])
  })

  it('are only those that can be made, and only short ones', async () => {
    const isMakeable = ({ faults }: { faults: readonly unknown[] }) => faults.length === 0
    const seen: number[] = []
    const prepare: SelectionRequest['prepare'] = (plan) => {
      seen.push(plan.faults.length)
      return plan
    }
    expect((await selectOf('articles/001-get-set', { isMakeable, prepare })).length).toBeGreaterThan(0)
    expect(seen.some((faults) => faults > 0)).toBe(true)
    expect(await selectOf('articles/001-get-set', { isMakeable: () => false })).toEqual([])
    expect(await selectOf('articles/001-get-set', { longestMs: Number.NEGATIVE_INFINITY })).toEqual([])
  })
})
