/**
 * The first answer of a campaign: the first run that violates an invariant. The run is reported at
 * once as it was drawn, and again after it was shrunk with a separate budget. Neither report is
 * part of the results, so the results do not depend on which worker was first.
 */

import { worstFirst } from '../../contract/api/severity.ts'
import { drawnResult, violationResult } from '../explain/violation-result.ts'
import type { CampaignContext, CampaignRequest, NamedViolation } from '../play/campaign-request.ts'
import { cheaperThan } from '../play/cheaper-scenario.ts'
import type { PlayedPair } from '../play/pair-progress.ts'
import { shrinkTask } from '../play/tasks.ts'
import type { PathTally } from '../tally/tally.ts'
import type { PairName } from '../token/pair-ref.ts'

/** The number of events that the search may play, which takes a second or two. */
const storyBudget = 25_000

export class FirstViolation {
  #story: Promise<void> | null = null

  constructor(
    private readonly request: Pick<CampaignRequest, 'cheaper'>,
    private readonly context: Pick<CampaignContext, 'executor' | 'deps' | 'firstViolation' | 'firstStory'>,
  ) {}

  /** Reports the smallest order of an exploration, which needs no shrinking. */
  found(violation: NamedViolation): void {
    if (this.#story !== null) return
    this.context.firstViolation(violation)
    this.context.firstStory(violation)
    this.#story = Promise.resolve()
  }

  look(pair: PlayedPair): void {
    if (this.#story !== null) return
    const [path] = [...pair.progress.tally.paths.values()].sort(worstFirst)
    if (path === undefined) return
    this.context.firstViolation({ ...namesOf(pair), ...drawnResult(pair.progress.task, pair.pair, path) })
    this.#story = this.#report(pair, path)
  }

  /** Resolves when the story was reported. Resolves at once if there is no story. */
  async reported(): Promise<void> {
    await this.#story
  }

  async #report(pair: PlayedPair, path: PathTally): Promise<void> {
    const { runMs } = pair.plan.choice
    const { task } = pair.progress
    const cheaper = cheaperThan(runMs, this.request.cheaper)
    try {
      const shown = await this.context.executor.shrink(
        shrinkTask(task, path, { budget: storyBudget, cheaper, mode: 'story' }),
      )
      if (this.context.deps.stopped()) return
      const reported = violationResult(shown, { reports: '' }, { keep: () => {} })
      this.context.firstStory({
        ...namesOf(pair),
        ...reported,
        scenario: shown.recorded.scenario,
        shrunk: shown.shrunk,
        ...(shown.drawnIn === undefined ? {} : { drawnIn: shown.drawnIn }),
      })
    } catch {
      // The error is ignored here. It recurs and is reported when the finding is explained.
    }
  }
}

function namesOf({ pair, progress: { task } }: PlayedPair): PairName {
  const { id: implementation } = pair.implementation.implementation
  return { implementation, scenario: task.scenarioName, sink: task.sink }
}
