import { expect, it } from 'vitest'
import { findCounterexample } from '../../src/campaign/explain/counterexample.ts'
import { runChunk } from '../../src/campaign/play/run-chunk.ts'
import { shrinkTask } from '../../src/campaign/play/tasks.ts'
import type { CampaignDeps } from '../../src/campaign/types.ts'
import { fakeBench } from './fake-deps.ts'

const names = { scenarioName: 'fake-crash', implementationName: 'fake', sink: 'plain', seed: 1, fresh: false } as const
const pair = { ...names, scenarioPath: 'fake-crash', implementationPath: 'fake' }

it('for twenty violations in one run, only the one along the path gets a deciding step', async () => {
  const fake = fakeBench({ alwaysBreaks: true })
  const command = { process: 'consumer-1', args: [], reply: null }
  let [judged, read] = [0, 0]
  const bench: CampaignDeps = {
    ...fake,
    runWorld: async (request) => ({
      ...(await fake.runWorld(request)),
      executed: [
        { ...command, label: 'GET', seq: 0 },
        { ...command, label: 'SET', seq: 1 },
      ],
    }),
    judge: ({ events }) => {
      judged++
      const one = (seq: number) => ({ kind: 'duplicate', key: null, sentence: `at ${seq}`, events: [seq] })
      const seen = () => {
        read++
        return [0]
      }
      const other = () => Object.defineProperty(one(0), 'events', { get: seen })
      const violations = [...Array.from({ length: 19 }, other), one(events.length - 1)]
      return [{ name: 'at-most-once', verdict: { verdict: 'violated', violations } }]
    },
  }
  const { paths } = await runChunk({ ...pair, from: 0, to: 1, bail: true }, bench)
  const path = [...paths.values()].find(({ path: labels }) => labels.length === 2)
  judged = 0
  read = 0
  const { cause } = await findCounterexample(shrinkTask(pair, path!, { mode: 'story', budget: 0 }), bench)
  expect(cause.path).toEqual(['GET', 'SET'])
  // The other reads are for the paths.
  expect(read).toBe(19 * judged)
})
