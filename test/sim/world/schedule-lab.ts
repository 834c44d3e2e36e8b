/** Schedules of recorded runs on several servers, with the steps that servers take on their own. */
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'vitest'
import { playAgain } from '../../../src/campaign/play/play-and-judge.ts'
import { scheduleOfRun } from '../../../src/campaign/replay-live/run-schedule.ts'
import { emptyTally } from '../../../src/campaign/tally/tally.ts'
import { createDeps } from '../../../src/cli/create-deps.ts'
import type { PlannedFault, RedisPlan } from '../../../src/contract/api/plan.ts'
import type { Shape } from '../../../src/contract/api/store.ts'
import { stepText } from '../../../src/contract/results/step.ts'
import { recordedRun, scenarioOf } from '../../campaign/replay-live/recorded.ts'

const deps = createDeps(() => false)

/** The schedule of the layer of an article, with those faults. */
export async function scheduled(layer: string, shape: Shape, redis: RedisPlan, ...faults: PlannedFault[]) {
  const file = fileURLToPath(new URL(`../../../implementations/articles/${layer}.ts`, import.meta.url))
  const pair = { scenario: scenarioOf(shape), implementation: await deps.loadImplementation(path.resolve(file)) }
  const recorded = recordedRun(layer, { redis, faults })
  const { schedule, result } = await scheduleOfRun(pair, recorded, deps)
  return { pair, recorded, schedule, result, names: schedule.steps.map(({ step }) => stepText(step)) }
}

/** Expects the run to have the same digest with and without its schedule. */
export async function expectUnchanged({ pair, recorded, result }: Awaited<ReturnType<typeof scheduled>>) {
  const plain = await playAgain(pair as never, recorded, emptyTally(), deps, { scrutinise: true })
  expect(plain.result.digest).toBe(result.digest)
}
