/** One violation made small, recorded, told and addressed. */
import type { Judgement } from '../check/index.ts'
import type { InvariantName, Violation } from '../contract/verdict.ts'
import type { PairTask, ShrinkTask } from './crew.ts'
import { drawRun, plansOf } from './draw-run.ts'
import { factsOf, NondeterminismError } from './nondeterminism.ts'
import { explain, loadPair, planOf, requestOf } from './run-chunk.ts'
import { shrinkRun } from './shrink-run.ts'
import { digestPrefix, type RecordedRun } from './token.ts'
import type { RunResult, Workbench } from './workbench.ts'

export interface Counterexample {
  readonly invariant: InvariantName
  readonly violation: Violation
  readonly story: readonly string[]
  readonly eventCount: number
  readonly faultCount: number
  readonly recorded: RecordedRun
}

/** @throws LoadError, LeakError, NondeterminismError */
export async function findCounterexample(task: ShrinkTask, bench: Workbench): Promise<Counterexample> {
  const pair = await loadPair(task, bench)
  const { invariant, kind } = task
  const drawn = requestOf(task, pair, task.run)
  const first = await bench.runWorld({ ...drawn, record: true })
  if (first.digest !== task.digest) throw await differing(task, bench, first)
  const breaks = async (candidate: typeof drawn.plan, seed: number): Promise<boolean> => {
    if (bench.stopped()) return false
    const result = await bench.runWorld({ ...drawn, plan: planOf(task, candidate), choices: { seed } })
    return violationOf(bench, result, invariant, kind) !== null
  }
  const { choiceSeed, ...shrunk } = await shrinkRun(
    plansOf(pair.scenario, task.run),
    drawRun(pair.scenario, task.seed, task.run),
    breaks,
    task.budget,
  )
  const plan = planOf(task, shrunk.plan)
  const result = await bench.runWorld({ ...drawn, plan, choices: { seed: choiceSeed }, record: true })
  const violation = violationOf(bench, result, invariant, kind)
  if (violation === null) throw new NondeterminismError(`run ${task.run} shrank to one that does not break again`)
  return describe(bench, result, invariant, violation, {
    ...{ scenario: task.scenarioName, implementation: task.implementationName, sink: task.sink },
    ...{ seed: task.seed, run: task.run, plan, choiceSeed },
    ...{ choiceCount: result.choiceCount, digest: digestPrefix(result.digest) },
  })
}

interface Found {
  readonly invariant: InvariantName
  readonly violation: Violation
}

/** One violation for each invariant and kind, in the order of the verdicts. */
export function violationsOf(judgements: readonly Judgement[]): Found[] {
  const found = new Map<string, Found>()
  for (const { name, verdict } of judgements) {
    if (verdict.verdict !== 'violated') continue
    for (const violation of verdict.violations) {
      const what = `${name} ${violation.kind}`
      if (!found.has(what)) found.set(what, { invariant: name, violation })
    }
  }
  return [...found.values()]
}

export function describe(
  bench: Workbench,
  result: RunResult,
  invariant: InvariantName,
  violation: Violation,
  recorded: RecordedRun,
): Counterexample {
  return {
    ...{ invariant, violation, recorded },
    story: bench.tell(result.history, violation),
    eventCount: factsOf(result.history).events.length,
    faultCount: recorded.plan.faults.length,
  }
}

function violationOf(bench: Workbench, result: RunResult, name: InvariantName, kind: string): Violation | null {
  const found = violationsOf(bench.judge(result.history, [name]))
  return found.find(({ violation }) => violation.kind === kind)?.violation ?? null
}

/** The campaign's own run is gone; one more hot run stands in for it. */
async function differing(task: ShrinkTask, bench: Workbench, recorded: RunResult): Promise<Error> {
  const pair = await loadPair(task satisfies PairTask, bench)
  const request = requestOf(task, pair, task.run)
  const hot = await bench.runWorld(request)
  return explain(task.run, hot, recorded, () => bench.runWorld({ ...request, record: true, scrutinise: true }))
}
