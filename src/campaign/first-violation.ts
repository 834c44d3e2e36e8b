/**
 * The first answer: the first run that violates is told as it was drawn, then once more, made small with a budget of its
 * own. Neither is part of the results, so that they do not depend on which worker was first.
 */

import { gravity } from '../contract/gravity.ts'
import type { CampaignRequest, Surroundings } from './campaign-request.ts'
import { cheaperThan } from './cheaper-scenario.ts'
import type { PlayedPair } from './play-pairs.ts'
import type { PathTally } from './tally.ts'
import { drawnResult, violationResult } from './violation-result.ts'

/** Events: a second or two. */
const storyBudget = 25_000

export class FirstViolation {
  #story: Promise<void> | null = null

  constructor(
    private readonly request: Pick<CampaignRequest, 'cheaper'>,
    private readonly around: Pick<Surroundings, 'crew' | 'bench' | 'firstViolation' | 'firstStory'>,
  ) {}

  look(pair: PlayedPair): void {
    if (this.#story !== null) return
    const [path] = [...pair.progress.tally.paths.values()].sort((a, b) => gravity(a.invariant) - gravity(b.invariant))
    if (path === undefined) return
    this.around.firstViolation({ ...namesOf(pair), ...drawnResult(pair.progress.task, pair.pair, path) })
    this.#story = this.#tell(pair, path)
  }

  /** When the story was told, if there was one. */
  async told(): Promise<void> {
    await this.#story
  }

  async #tell(pair: PlayedPair, path: PathTally): Promise<void> {
    const { runMs } = pair.plan.choice
    const { task } = pair.progress
    const { invariant, kind, first } = path
    const cheaper = cheaperThan(runMs, this.request.cheaper)
    const where = { run: first.run, digest: first.digest, invariant, kind, cheaper }
    try {
      const shown = await this.around.crew.shrink({ ...task, ...where, budget: storyBudget, faultsOnly: false })
      if (this.around.bench.stopped()) return
      const told = violationResult(shown, { reports: '' }, { keep: () => {} })
      this.around.firstStory({ ...namesOf(pair), ...told, scenario: shown.recorded.scenario, shrunk: true })
    } catch {
      // What is wrong with the run is found, and told, when it is explained.
    }
  }
}

function namesOf({ pair, progress: { task } }: PlayedPair) {
  const { id: implementation } = pair.implementation.implementation
  return { implementation, scenario: task.scenarioName, sink: task.sink }
}
