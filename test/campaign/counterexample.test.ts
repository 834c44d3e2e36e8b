import { describe, expect, it } from 'vitest'
import type { CampaignDeps } from '../../src/campaign/campaign-deps.ts'
import { findCounterexample } from '../../src/campaign/counterexample.ts'
import { LeakError, NondeterminismError } from '../../src/campaign/nondeterminism.ts'
import { runChunk } from '../../src/campaign/run-chunk.ts'
import { shrinkTask } from '../../src/campaign/tasks.ts'
import { createDeps } from '../../src/cli/create-deps.ts'
import { pairById } from '../scenarios/pair-by-id.ts'

const deps = createDeps(() => false)

/** The first violation of a layer that keeps what it knows in a Map at module level. */
async function found() {
  const { task } = await pairById('canary-module-map', 'competing-consumers', deps)
  const pair = { ...task, seed: 2, fresh: true }
  const { paths } = await runChunk({ ...pair, from: 0, to: 20, bail: true }, deps)
  return shrinkTask({ ...pair, fresh: false }, paths.values().next().value!, { budget: 20_000 })
}

describe('a violation of a layer whose modules keep something from run to run', () => {
  it('is shrunk with modules of its own in every run, and its token gives the same run', async () => {
    const task = await found()
    // What a worker has played before is in the Map of its consumers.
    const { task: pair } = await pairById('canary-module-map', 'competing-consumers', deps)
    await runChunk({ ...pair, seed: 2, fresh: false, from: 0, to: 2, bail: true }, deps)
    const [first, again] = [await findCounterexample(task, deps), await findCounterexample(task, deps)]
    expect(first).toMatchObject({ shrunk: true, violation: { kind: 'duplicate' } })
    expect(again.recorded).toEqual(first.recorded)
  })

  it('is named as a leak where only what was left behind broke it', async () => {
    const task = { ...(await found()), digest: 'of a run that met what an earlier one had left' }
    await expect(findCounterexample(task, deps)).rejects.toThrow(LeakError)
  })

  it('is nondeterminism where modules of its own do not repeat it either', async () => {
    let runs = 0
    const drifting: CampaignDeps = {
      ...deps,
      runWorld: async (request) => ({ ...(await deps.runWorld(request)), digest: `run ${runs++}` }),
    }
    await expect(findCounterexample(await found(), drifting)).rejects.toThrow(NondeterminismError)
  })
})
