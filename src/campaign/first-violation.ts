/**
 * The first answer: the first run that violates is told as it was drawn, then once more, made small with a budget of its
 * own. Neither is part of the results, so that they do not depend on which worker was first.
 */

import { gravity } from '../contract/gravity.ts'
import type { CampaignRequest, Surroundings } from './campaign-request.ts'
import type { PlayedPair } from './play-pairs.ts'
import type { PathTally } from './tally.ts'
import { drawnResult, toldResult } from './violation-result.ts'

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
    this.around.firstViolation(pair.plan.choice, drawnResult(pair.progress.task, pair.pair, path))
    this.#story = this.#tell(pair, path)
  }

  /** When the story was told, if there was one. */
  async told(): Promise<void> {
    await this.#story
  }

  async #tell({ plan: { choice }, pair, progress: { task } }: PlayedPair, path: PathTally): Promise<void> {
    const { invariant, kind } = path
    const { run, digest } = path.first
    const cheaper = this.request.cheaper.filter((one) => one.runMs < choice.runMs).map(({ runMs: _, ...name }) => name)
    const search = { ...task, run, digest, invariant, kind, budget: storyBudget, cheaper, faultsOnly: false }
    try {
      const shown = await this.around.crew.shrink(search)
      if (this.around.bench.stopped()) return
      this.around.firstStory(choice, {
        ...{ implementation: pair.implementation.implementation.id, sink: task.sink, cause: shown.cause },
        ...{ shrunk: true, scenario: shown.recorded.scenario },
        ...toldResult(shown, { reports: '' }, { keep: () => {} }),
      })
    } catch {
      // What is wrong with the run is found, and told, when it is explained.
    }
  }
}
