/**
 * What a crew was asked and answered. An answer depends on its task alone, so that one machine's answers stand in for
 * another's work.
 */
import { canonicalJson } from '../../contract/json.ts'
import type { Counterexample } from '../counterexample.ts'
import type { ChunkTask, Crew, PairTask, ShrinkTask } from '../crew.ts'
import { emptyTally, mergeTally, type Tally } from '../tally.ts'

/** Answers by their tasks. */
export interface Played {
  readonly chunks: Map<string, Tally>
  readonly shrunk: Map<string, Counterexample>
}

export function nothingPlayed(): Played {
  return { chunks: new Map(), shrunk: new Map() }
}

/** A task by names, without the places of one machine. */
export function keyOf<T extends PairTask>({ scenarioPath: _, implementationPath: __, ...task }: T): string {
  const { cheaper = [] } = task as Partial<ShrinkTask>
  return canonicalJson({ ...task, cheaper: cheaper.map(({ scenarioName }) => scenarioName) })
}

/** Writes down what the crew answers. What was cut short by the user is no answer. */
export function recordingCrew(crew: Crew, played: Played, stopped: () => boolean): Crew {
  return {
    get size() {
      return crew.size
    },
    async runChunk(task: ChunkTask) {
      const tally = await crew.runChunk(task)
      if (!stopped()) played.chunks.set(keyOf(task), tally)
      return tally
    },
    async shrink(task: ShrinkTask) {
      const found = await crew.shrink(task)
      if (!stopped()) played.shrunk.set(keyOf(task), found)
      return found
    },
    close: () => crew.close(),
  }
}

/** Answers what was played elsewhere, and has the crew play the rest. */
export function rememberingCrew(crew: Crew, { chunks, shrunk }: Played): Crew {
  return {
    get size() {
      return crew.size
    },
    async runChunk(task: ChunkTask) {
      const tally = chunks.get(keyOf(task))
      return tally === undefined ? crew.runChunk(task) : copyOf(tally)
    },
    async shrink(task: ShrinkTask) {
      return shrunk.get(keyOf(task)) ?? crew.shrink(task)
    },
    close: () => crew.close(),
  }
}

/** Who is given a tally may add to it. */
function copyOf(tally: Tally): Tally {
  const copy = emptyTally()
  mergeTally(copy, tally)
  return copy
}
