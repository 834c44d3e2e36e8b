import { describe, expect, it } from 'vitest'
import type { BenchmarkRow } from '../../tools/detection-benchmark/compare.ts'
import { beyondMinimum, demandsOf } from '../../tools/detection-benchmark/demands.ts'

function row(layer: string, scenarios: string[], runs: (number | null)[]): BenchmarkRow {
  return { layer, scenarios, mostRuns: 4000, runs, seconds: runs.map(() => 0) }
}

const demands = (...rows: BenchmarkRow[]) => demandsOf({ seeds: 2, rows })

describe('the minimum runs of a scenario', () => {
  it('are those of the worst seed of its slowest row', () => {
    const asked = demands(row('a', ['s'], [3, 40]), row('b', ['s'], [70, 2]), row('c', ['t'], [5, 5]))
    expect(asked.get('s')).toEqual({ row: 'b × s', runs: 70 })
    expect(asked.get('t')).toEqual({ row: 'c × t', runs: 5 })
  })

  it('depend only on rows that are caught on every seed, within the upper limit', () => {
    const asked = demands(row('a', ['s'], [3, 251]), row('b', ['s'], [9, null]), row('c', ['s'], [1, 250]))
    expect(asked.get('s')?.row).toBe('c × s')
    expect(demands(row('b', ['s'], [9, null])).size).toBe(0)
  })

  it('depend on scenarios in which a layer is caught, not on later ones', () => {
    expect([...demands(row('a', ['s', 't'], [3, 40])).keys()]).toEqual(['s'])
  })
})

it('rows beyond the upper limit are reported, but not missed ones', () => {
  const rows = [row('a', ['s'], [3, 251]), row('b', ['s'], [9, null]), row('c', ['s'], [1, 250])]
  expect(beyondMinimum({ seeds: 2, rows })).toEqual([{ row: 'a × s', runs: 251 }])
})
