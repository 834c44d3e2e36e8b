/**
 * The control: a broken layer, played at the end of every campaign. If it does not break, the
 * harness misses violations.
 */
import type { CampaignViolation, PairResult } from '../../contract/results/results.ts'
import { LoadError } from '../../sim/adapters/load-implementation.ts'
import { violationResult } from '../explain/violation-result.ts'
import type { CampaignContext, CampaignRequest } from '../play/campaign-request.ts'
import { failureText } from '../play/harness-failure.ts'
import { loadPair } from '../play/load-pair.ts'
import { type PairTask, pairTask, shrinkTask } from '../play/tasks.ts'
import { pairResult } from '../results/pair-result.ts'
import { emptyTally, type Tally } from '../tally/tally.ts'

/** The control must break within this many runs. */
const controlRuns = 100

/**
 * The result of the control; null if there is no control, or if the user stopped before it was
 * judged.
 * @throws LoadError
 */
export async function runControl(request: ControlRequest, context: ControlContext): Promise<PairResult | null> {
  const { control, seed } = request
  if (control === null || context.deps.stopped()) return null
  const task = { ...pairTask(control, { seed, fresh: false }), only: 'at-most-once' as const }
  const { scenario, implementation } = await loadPair(task, context.deps)
  const played = await play(task, request, context)
  if (context.deps.stopped()) return null
  return pairResult({
    scenario,
    implementation: implementation.implementation,
    sink: task.sink,
    ...played,
    goalReasons: {},
    notes: [],
    cutShort: null,
    runsRequested: controlRuns,
  })
}

type ControlRequest = Pick<CampaignRequest, 'control' | 'seed' | 'explain' | 'reports'>
type ControlContext = Pick<CampaignContext, 'deps' | 'executor' | 'keep'>

async function play(
  task: PairTask,
  { explain, reports }: Pick<ControlRequest, 'explain' | 'reports'>,
  { executor, keep }: ControlContext,
): Promise<{ tally: Tally; violations: CampaignViolation[]; failure: string | null }> {
  let tally = emptyTally()
  try {
    tally = await executor.runChunk({ ...task, from: 0, to: controlRuns, bail: true })
    const [path] = tally.paths.values()
    if (path === undefined) return { tally, violations: [], failure: null }
    const reported = await executor.shrink(shrinkTask(task, path, { budget: explain.path, mode: 'story' }))
    return {
      tally,
      violations: [{ ...violationResult(reported, { reports }, { keep }), shrunk: reported.shrunk }],
      failure: null,
    }
  } catch (error) {
    if (error instanceof LoadError) throw error
    return { tally, violations: [], failure: failureText(error) }
  }
}
