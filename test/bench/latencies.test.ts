import { expect, it } from 'vitest'
import { latencyOf, quantile, timesOf } from '../../bench/latencies.ts'

it('runs each operation once, three at a time', async () => {
  const lanes = new Set<number>()
  const seen: number[] = []
  let [open, most] = [0, 0]
  const times = await timesOf(
    async (n, lane) => {
      most = Math.max(most, ++open)
      lanes.add(lane)
      seen.push(n)
      await null
      open--
    },
    10,
    3,
  )
  expect(seen.sort((a, b) => a - b)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
  expect({ most, lanes: lanes.size, times: times.length }).toEqual({ most: 3, lanes: 3, times: 10 })
  expect(times).toEqual([...times].sort((a, b) => a - b))
})

it('fails if an operation fails', async () => {
  const failing = timesOf(async (n) => Promise.reject(new Error(`operation ${n}`)), 2, 1)
  await expect(failing).rejects.toThrow('operation 0')
})

it('takes the medians over rounds of the 50th and 99th percentile', () => {
  const round = (base: number) => Array.from({ length: 100 }, (_, n) => base + n)
  expect(quantile([1, 2, 3], 0.99)).toBe(3)
  expect(latencyOf(16, [round(0), round(1000), round(10)])).toEqual({ atOnce: 16, p50Ms: 60, p99Ms: 109 })
})
