/** Counts what a campaign has played, and estimates what is left from what pairs cost. */
import type { PairPlan, Progress, Surroundings } from './campaign-request.ts'
import { mostRunsOf } from './pair-progress.ts'
import type { PlayedPair } from './play-pairs.ts'

/** A pair whose runs bring nothing new ends early; so many are expected of one that has not begun. */
const expectedRuns = 100

export class ProgressTeller {
  readonly #begun = new Map<PairPlan, PlayedPair>()
  #done = 0

  constructor(
    private readonly plans: readonly PairPlan[],
    private readonly around: Pick<Surroundings, 'progress' | 'elapsedMs'>,
  ) {}

  played(pair: PlayedPair): void {
    this.#begun.set(pair.plan, pair)
    this.#tell('running', pair)
  }

  done(pair: PlayedPair): void {
    this.#done++
    this.#tell('running', pair)
  }

  explaining(): void {
    const last = [...this.#begun.values()].at(-1)
    if (last !== undefined) this.#tell('explaining', last)
  }

  /** Those that have played some runs and are none of `others`. */
  begun(others: readonly PlayedPair[]): PlayedPair[] {
    const known = new Set(others.map(({ plan }) => plan))
    return [...this.#begun.values()].filter(({ plan, progress }) => !known.has(plan) && progress.tally.runs > 0)
  }

  #tell(phase: Progress['phase'], { plan: { choice } }: PlayedPair): void {
    const begun = [...this.#begun.values()]
    this.around.progress({
      ...{ phase, implementation: choice.implementationName, scenario: choice.scenarioName },
      ...{ pairsDone: this.#done, pairs: this.plans.length },
      runs: begun.reduce((sum, { progress }) => sum + progress.tally.runs, 0),
      broken: new Set(begun.flatMap(({ plan, progress }) => waysOf(plan, progress))).size,
      leftMs: phase === 'running' ? this.#leftMs() : null,
    })
  }

  #leftMs(): number | null {
    let played = 0
    let left = 0
    for (const plan of this.plans) {
      const progress = this.#begun.get(plan)?.progress
      const runs = progress?.tally.runs ?? 0
      const most =
        'runs' in plan.bound ? plan.bound.runs : Math.min(expectedRuns, mostRunsOf(plan.bound, { floorRuns: 0 }))
      played += runs * plan.choice.runMs
      if (!progress?.isDone) left += Math.max(0, most - runs) * plan.choice.runMs
    }
    return played === 0 ? null : (this.around.elapsedMs() * left) / played
  }
}

function waysOf({ choice: { implementationPath, sink } }: PairPlan, { tally }: PlayedPair['progress']): string[] {
  return [...tally.paths.keys()].map((name) => `${implementationPath} ${sink} ${name}`)
}
