import { expect, it, vi } from 'vitest'
import type { CampaignDeps } from '../../src/campaign/campaign-deps.ts'
import { findCounterexample } from '../../src/campaign/counterexample.ts'
import { decidingStep } from '../../src/campaign/deciding-step.ts'
import { runChunk } from '../../src/campaign/run-chunk.ts'
import { shrinkTask } from '../../src/campaign/tasks.ts'
import { fakeBench } from './fake-deps.ts'

vi.mock('../../src/campaign/deciding-step.ts', async (original) => {
  const steps = await original<typeof import('../../src/campaign/deciding-step.ts')>()
  return { ...steps, decidingStep: vi.fn(steps.decidingStep) }
})

const names = { scenarioName: 'fake-crash', implementationName: 'fake', sink: 'plain', seed: 1, fresh: false } as const
const pair = { ...names, scenarioPath: 'fake-crash', implementationPath: 'fake' }

it('of twenty violations in one run, the deciding step is asked of the one along the path alone', async () => {
  const fake = fakeBench({ alwaysBreaks: true })
  const command = { process: 'consumer-1', args: [], reply: null }
  let judged = 0
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
      const violations = [...Array.from({ length: 19 }, () => one(0)), one(events.length - 1)]
      return [{ name: 'at-most-once', verdict: { verdict: 'violated', violations } }]
    },
  }
  const { paths } = await runChunk({ ...pair, from: 0, to: 1, bail: true }, bench)
  const path = [...paths.values()].find(({ path: labels }) => labels.length === 2)
  vi.mocked(decidingStep).mockClear()
  judged = 0
  const { cause } = await findCounterexample(shrinkTask(pair, path!, { budget: 0 }), bench)
  expect(cause.path).toEqual(['GET', 'SET'])
  // Once for each run that was judged, and once for the story.
  expect(decidingStep).toHaveBeenCalledTimes(judged + 1)
})
