import { describe, expect, it } from 'vitest'
import type { BenchmarkRow } from '../../tools/detection-benchmark/compare.ts'
import { beyondMinimum, demandsOf } from '../../tools/detection-benchmark/demands.ts'

function row(layer: string, scenarios: string[], runs: (number | null)[]): BenchmarkRow {
  return { layer, scenarios, mostRuns: 4000, runs, seconds: runs.map(() => 0) }
}

const demands = (...rows: BenchmarkRow[]) => demandsOf({ seeds: 2, rows })

describe('a scenario is asked for as many runs', () => {
  it('as the worst seed of its slowest row took', () => {
    const asked = demands(row('a', ['s'], [3, 40]), row('b', ['s'], [70, 2]), row('c', ['t'], [5, 5]))
    expect(asked.get('s')).toEqual({ row: 'b × s', runs: 70 })
    expect(asked.get('t')).toEqual({ row: 'c × t', runs: 5 })
  })

  it('only by rows that are caught on every seed, within the most minimum runs', () => {
    const asked = demands(row('a', ['s'], [3, 251]), row('b', ['s'], [9, null]), row('c', ['s'], [1, 250]))
    expect(asked.get('s')?.row).toBe('c × s')
    expect(demands(row('b', ['s'], [9, null])).size).toBe(0)
  })

  it('where a layer is caught, and not where it would be tried next', () => {
    expect([...demands(row('a', ['s', 't'], [3, 40])).keys()]).toEqual(['s'])
  })
})

it('rows that take more than the most minimum runs are told, those that are missed are not', () => {
  const rows = [row('a', ['s'], [3, 251]), row('b', ['s'], [9, null]), row('c', ['s'], [1, 250])]
  expect(beyondMinimum({ seeds: 2, rows })).toEqual([{ row: 'a × s', runs: 251 }])
})
