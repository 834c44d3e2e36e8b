/** The dependencies of real campaigns: the simulator, the checkers, the goals, the storyteller, the loaders. */

import type { CampaignDeps } from '../campaign/campaign-deps.ts'
import { notApplicable, reached } from '../campaign/goals/index.ts'
import { judge } from '../check/index.ts'
import { tellStory } from '../report/story.ts'
import { takeScriptLines } from '../sim/redis/scripting/script-cache.ts'
import { type LoadedImplementation, loadImplementation } from '../sim/runtime/load-implementation.ts'
import { runWorld } from '../sim/world.ts'
import { loadScenario } from './load-scenario.ts'

export function createDeps(stopped: () => boolean): CampaignDeps {
  return {
    runWorld,
    judge,
    reached,
    notApplicable,
    takeScriptLines,
    stopped,
    tell: tellStory,
    loadScenario: once(loadScenario),
    loadImplementation: once<LoadedImplementation>(loadImplementation),
  }
}

/** Files are loaded once for each thread. */
function once<T>(load: (file: string) => Promise<T>): (file: string) => Promise<T> {
  const loaded = new Map<string, Promise<T>>()
  return (file) => {
    let value = loaded.get(file)
    if (value === undefined) loaded.set(file, (value = load(file)))
    return value
  }
}
