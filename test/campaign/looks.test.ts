import { beforeEach, describe, expect, it } from 'vitest'
import { findCounterexample } from '../../src/campaign/explain/counterexample.ts'
import { runChunk } from '../../src/campaign/play/run-chunk.ts'
import { shrinkTask } from '../../src/campaign/play/tasks.ts'
import { fakeBench } from './fake-deps.ts'

const names = { scenarioName: 'fake-crash', implementationName: 'fake', sink: 'plain', seed: 1, fresh: false } as const
const pair = { ...names, scenarioPath: 'fake-crash', implementationPath: 'fake' }

/** The number of runs, and of their events. */
let played = { runs: 0, events: 0 }
const fake = fakeBench()
const bench: typeof fake = {
  ...fake,
  runWorld: async (request) => {
    const result = await fake.runWorld(request)
    played = { runs: played.runs + 1, events: played.events + result.eventCount }
    return result
  },
}

/** Looks at the first violating run that has several faults. */
async function look(budget: number) {
  const { paths } = await runChunk({ ...pair, from: 0, to: 40, bail: true }, fake)
  const [path] = paths.values()
  return findCounterexample(shrinkTask(pair, path!, { budget, mode: 'look' }), bench)
}

describe('a look at an unshrunk run', () => {
  beforeEach(() => {
    played = { runs: 0, events: 0 }
  })

  it('finds the cause of the run, and which kinds of its faults it needs', async () => {
    const { cause, recorded, shrunk } = await look(10_000)
    expect(cause.needs).toEqual(['crash'])
    expect(recorded.plan.faults.length).toBeGreaterThan(1)
    expect(shrunk).toBe(false)
  })

  it('plays the run once, and charges all runs to the budget', async () => {
    const { spent, recorded } = await look(10_000)
    expect(spent).toBe(played.events)
    expect(played.runs).toBeLessThanOrEqual(1 + recorded.plan.faults.length)
  })

  it('stops leaving out faults once its budget is spent, and counts the others as needed', async () => {
    const { cause, recorded, spent } = await look(1)
    const kinds = [...new Set(recorded.plan.faults.map(({ kind }) => kind))].sort()
    expect([cause.needs, played.runs, spent]).toEqual([kinds, 1, played.events])
  })
})
