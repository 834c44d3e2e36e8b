import type { Surroundings } from './campaign-request.ts'
import { findCounterexample } from './counterexample.ts'
import type { Crew } from './crew.ts'
import { runChunk } from './run-chunk.ts'
import type { Workbench } from './workbench.ts'

/** This thread alone does the work, one task after the other: runs must not overlap. */
export function localCrew(bench: Workbench, alone: Surroundings['alone']): Crew {
  return {
    size: 1,
    runChunk: (task) => alone(() => runChunk(task, bench)),
    shrink: (task) => alone(() => findCounterexample(task, bench)),
    close: async () => {},
  }
}
