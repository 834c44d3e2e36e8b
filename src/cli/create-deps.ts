/** The dependencies of real campaigns: simulator, checkers, goals, stories and loaders. */

import { takeScriptLines } from 'redis-sim'
import { takeKnownScripts } from 'virtual-node/runtime'
import { notApplicable, reached } from '../campaign/goals/index.ts'
import type { CampaignDeps } from '../campaign/types.ts'
import { judge } from '../check/index.ts'
import { isProgram } from '../contract/api/program-name.ts'
import { twoVersions } from '../contract/api/two-versions.ts'
import { loadProgram } from '../exec/load-program.ts'
import { createPidPages, PidBook } from '../exec/pid-book.ts'
import { usualServers } from '../live/servers/usual-servers.ts'
import { reportStory } from '../report/story.ts'
import { drawPassing, drawViolation } from '../report/timeline/timeline-of.ts'
import { bothVersions } from '../sim/adapters/load-both.ts'
import { loadImplementation } from '../sim/adapters/load-implementation.ts'
import { runWorld } from '../sim/world.ts'
import { loadScenario } from './load-scenario.ts'
import type { WorkerSlot } from './status-table.ts'

/**
 * `slot`: the slot of the status table in which the thread publishes its current run; only needed
 * with a watchdog.
 */
export function createDeps(stopped: () => boolean, slot: WorkerSlot = unwatched): CampaignDeps {
  const loadOne = once((name) => (isProgram(name) ? loadProgram(name, slot.pids) : loadImplementation(name)))
  return {
    async runWorld(request) {
      slot.begun()
      try {
        return await runWorld(request)
      } finally {
        slot.ended()
      }
    },
    playing: slot.playing,
    judge,
    reached,
    notApplicable,
    takeScriptLines,
    takeKnownScripts,
    servers: usualServers,
    stopped,
    report: reportStory,
    draw: drawViolation,
    drawPassing,
    loadScenario: once(loadScenario),
    loadImplementation: once(async (name) => {
      const both = twoVersions(name)
      return both === null ? loadOne(name) : bothVersions(name, await loadOne(both.from), await loadOne(both.next))
    }),
  }
}

const unwatched: WorkerSlot = {
  playing: () => {},
  begun: () => {},
  ended: () => {},
  pids: new PidBook(createPidPages()),
}

/** Caches `load`, so that a thread loads each file once. */
function once<T>(load: (file: string) => Promise<T>): (file: string) => Promise<T> {
  const loaded = new Map<string, Promise<T>>()
  return (file) => {
    let value = loaded.get(file)
    if (value === undefined) loaded.set(file, (value = load(file)))
    return value
  }
}
