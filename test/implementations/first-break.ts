/** A layer played in a scenario until it breaks. */
import { drawRun } from '../../src/campaign/draw-run.ts'
import { planOf } from '../../src/campaign/run-chunk.ts'
import { createDeps } from '../../src/cli/create-deps.ts'
import type { SinkKind } from '../../src/contract/sink.ts'
import { pairById } from '../scenarios/pair-by-id.ts'

const deps = createDeps(() => false)

/** Which run, counted from 1, broke first; null where it held in all of them. */
export async function firstBreak(
  layer: string,
  scenarioId: string,
  sink: SinkKind,
  runs: number,
): Promise<number | null> {
  const { task, pair } = await pairById(layer, scenarioId, deps)
  for (let run = 0; run < runs; run++) {
    const { value, choiceSeed } = drawRun(pair.scenario, task.seed, run)
    const plan = planOf(task, value.value)
    const { history } = await deps.runWorld({ ...pair, sink, plan, choices: { seed: choiceSeed }, record: false })
    const judged = deps.judge(history, pair.scenario.invariants, pair.scenario.own)
    if (judged.some(({ verdict }) => verdict.verdict === 'violated')) return run + 1
  }
  return null
}
