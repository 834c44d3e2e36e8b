import { describe, expect, it } from 'vitest'
import { batchSize, measureAgainst, oneServer, runOf } from '../../bench/against/against.ts'
import type { ScenarioName } from '../../bench/checkout/checkout.ts'
import type { Player, Question } from '../../bench/checkout/player.ts'
import { growthOf } from '../../bench/memory-growth.ts'
import { floorOf } from '../../bench/rounds.ts'
import { messageRows } from '../../bench/scaling/sizes.ts'
import { costsOf } from '../../bench/scenario-costs.ts'

const named = (id: string, shape: ScenarioName['shape'] = 'single'): ScenarioName => ({ id, shape, runMs: null })

/** A checkout whose runs all cost the same. It adds each request to `asked`. */
function player(scenarios: readonly ScenarioName[], cpuMs: number, asked: string[] = []): Player {
  return {
    async ask(question: Question) {
      if (question.do === 'scenarios') return scenarios as never
      asked.push(question.do)
      if (question.do === 'draw') return question.runs.map(({ scenario }) => ({ scenario, drawn: {} })) as never
      if (question.do === 'play')
        return { cpuMs: cpuMs * question.runs.length, wallMs: 2 * cpuMs * question.runs.length } as never
      throw new Error(`${question.do} was not expected`)
    },
    close: async () => {},
  }
}

const plan = { rounds: 3, quick: false, only: '', print: () => {} }

describe('a checkout, compared with another one,', () => {
  const both = [named('lost-reply'), named('redis-failover', 'sentinel')]

  it('is faster by the ratio of the CPU times', async () => {
    const { rows } = await measureAgainst({ here: player(both, 10), other: player(both, 30) }, plan)
    expect(rows.map(({ name, ratio, aim, met }) => ({ name, ...ratio, aim, met }))).toEqual([
      { name: oneServer, median: 3, low: 3, high: 3, aim: 2, met: true },
      { name: 'lost-reply', median: 3, low: 3, high: 3, aim: null, met: true },
      { name: 'redis-failover', median: 3, low: 3, high: 3, aim: 3, met: true },
    ])
    expect(rows[1]!.here).toEqual({ cpuMsPerRun: 10, runsPerSecond: 50 })
  })

  it('misses its targets if both cost the same', async () => {
    const { rows } = await measureAgainst({ here: player(both, 10), other: player(both, 10) }, plan)
    expect(rows.map(({ ratio, met }) => [ratio.median, met])).toEqual([
      [1, false],
      [1, true],
      [1, false],
    ])
  })

  it('plays the plans that the other draws', async () => {
    const asked = { here: [] as string[], other: [] as string[] }
    await measureAgainst({ here: player(both, 10, asked.here), other: player(both, 10, asked.other) }, plan)
    expect(new Set(asked.here)).toEqual(new Set(['play']))
    expect(asked.other).toContain('draw')
  })

  it('reports a scenario that only one of them has', async () => {
    const here = player([...both, named('new-story')], 10)
    const { rows, skipped } = await measureAgainst({ here, other: player([...both, named('old')], 10) }, plan)
    expect(rows.map(({ name }) => name)).not.toContain('new-story')
    expect(skipped).toEqual([
      { name: 'new-story', reason: 'the other checkout has no such scenario' },
      { name: 'old', reason: 'this checkout has no such scenario' },
    ])
  })

  it('alternates between scenarios, each from its first run on', () => {
    expect([0, 1, 2, 3].map((nth) => runOf(['a', 'b'], nth))).toEqual([
      { scenario: 'a', run: 0 },
      { scenario: 'b', run: 0 },
      { scenario: 'a', run: 1 },
      { scenario: 'b', run: 1 },
    ])
  })

  it('plays fewer runs if they cost more, but at least a minimum', () => {
    expect([2, 50, 5000].map((ms) => batchSize(ms, false))).toEqual([400, 20, 8])
  })
})

describe('the floor', () => {
  it('is met up to 1.4 times the CPU time of the client alone', () => {
    expect(floorOf([1.4, 2, 1.2], [1, 2, 1])).toEqual({ ratio: 1.2, aim: 1.4, met: true })
  })

  it('is missed above that ratio', () => {
    expect(floorOf([2.4, 2.4, 2.4], [1, 1, 1]).met).toBe(false)
  })
})

describe('ten times the messages', () => {
  const sizes = (runMs: number, judgeMs: number, publishMs: number) => [{ runMs, judgeMs, publishMs }]

  it('may cost eleven times as much, after the cost of a run without messages is subtracted', () => {
    const rows = messageRows(sizes(1, 0, 5), sizes(10, 1, 6), sizes(105, 15, 25))
    expect(rows.map(({ ratio, met }) => [ratio.median, met])).toEqual([
      [10.5, true],
      [15, false],
      [20, false],
    ])
  })
})

describe('growth', () => {
  const readings = (...heaps: number[]) =>
    heaps.map((heapUsedMb, at) => ({ runs: [1000, 5000, 10_000][at]!, heapUsedMb }))

  it('is the increase in the last half of the runs, whatever the first half did', () => {
    expect(growthOf(readings(20, 30, 30.25))).toEqual({ grownMb: 0.25, aimMb: 0.5, met: true })
  })

  it('is too high from half a megabyte on', () => {
    expect(growthOf(readings(20, 30, 30.5)).met).toBe(false)
  })
})

describe('the cost of a scenario', () => {
  it('is its lowest round, with two digits, beside the stated cost', () => {
    const [first, second] = costsOf(
      [named('a'), { ...named('b', 'cluster'), runMs: 130 }],
      [
        [4.321, 120],
        [9, 101.4],
      ],
    )
    expect(first).toMatchObject({ scenario: 'a', runMs: 4.3, statedRunMs: null })
    expect(second).toMatchObject({ scenario: 'b', shape: 'cluster', runMs: 100, statedRunMs: 130 })
  })
})
