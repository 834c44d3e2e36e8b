import { findCounterexample } from './counterexample.ts'
import type { Crew } from './crew.ts'
import { runChunk } from './run-chunk.ts'
import type { Workbench } from './workbench.ts'

/** This thread alone does the work, one task after the other: runs must not overlap. */
export function localCrew(bench: Workbench): Crew {
  return {
    size: 1,
    runChunk: (task) => runChunk(task, bench),
    shrink: (task) => findCounterexample(task, bench),
    close: async () => {},
  }
}
