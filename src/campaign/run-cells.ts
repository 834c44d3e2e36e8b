import type { PairChoice, Surroundings } from './campaign-request.ts'
import { type PairContext, type PairRun, runPair } from './run-pair.ts'

/** One cell of a table: a layer, a scenario, a sink, and how many runs it may take. */
export interface Cell {
  readonly choice: PairChoice
  readonly runs: number
  /** It is done once a run violates in this way: an invariant and a kind, or how they begin. */
  readonly until: string
}

/**
 * Cells are worked on side by side, each by one hand. `done` is told in the order in which they end.
 * @throws LoadError when a layer or a scenario cannot be used at all
 */
export async function runCells<C extends Cell>(
  cells: readonly C[],
  context: PairContext,
  around: Surroundings,
  done: (cell: C, run: PairRun) => void,
): Promise<void> {
  const waiting = [...cells]
  const alone = { ...around, crew: { ...around.crew, size: 1 } }
  const one = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const { choice, runs, until } = next
      const bound = { runs: around.bench.stopped() ? 0 : runs }
      const run = await runPair({ choice, bound, bail: false, until, gravestOnly: true }, context, alone)
      done(next, run)
      around.pairDone(run.pair)
    }
  }
  await Promise.all(Array.from({ length: around.crew.size }, one))
}
