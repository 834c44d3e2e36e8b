import { findCounterexample } from '../explain/counterexample.ts'
import { exploreTask } from '../explore/explore-task.ts'
import type { CampaignContext } from '../play/campaign-request.ts'
import type { Executor } from '../play/executor.ts'
import { PlayedBefore } from '../play/played-before.ts'
import { runChunk } from '../play/run-chunk.ts'
import type { CampaignDeps } from '../types.ts'

/** Executes tasks in this thread, one after the other, because simulated runs must not overlap. */
export function inlineExecutor(deps: CampaignDeps, alone: CampaignContext['alone']): Executor {
  const played = new PlayedBefore()
  return {
    size: 1,
    runChunk: (task) => alone(() => runChunk(task, deps)),
    shrink: (task) => alone(() => findCounterexample(task, deps, played)),
    explore: (task) => alone(() => exploreTask(task, deps)),
    close: async () => {},
  }
}
