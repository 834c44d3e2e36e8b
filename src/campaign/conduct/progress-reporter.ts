/**
 * Counts the played runs of a campaign and estimates its total cost from the costs of its pairs.
 */
import type { CampaignContext, CampaignProgress, PairPlan, Progress } from '../play/campaign-request.ts'
import type { PlayedPair } from '../play/pair-progress.ts'
import { mostRunsOf } from '../play/pair-progress.ts'

/**
 * The estimated number of runs of a pair that has not begun, because its minimum is not known yet.
 */
const expectedRuns = 100

/** If some layer broke, the searches at the end add this share of the cost of the runs. */
const shareOfSearches = 0.15

export class ProgressReporter {
  readonly #begun = new Map<PairPlan, PlayedPair>()
  readonly #startedMs: number

  constructor(
    private readonly plans: readonly PairPlan[],
    private readonly context: Pick<CampaignContext, 'progress' | 'elapsedMs'>,
  ) {
    this.#startedMs = context.elapsedMs()
  }

  played(pair: PlayedPair): void {
    this.#begun.set(pair.plan, pair)
    this.#report('running', pair)
  }

  shrinking(): void {
    const last = [...this.#begun.values()].at(-1)
    if (last !== undefined) this.#report('shrinking', last)
  }

  /** The pairs that have played some runs and are not in `others`. */
  begun(others: readonly PlayedPair[]): PlayedPair[] {
    const known = new Set(others.map(({ plan }) => plan))
    return [...this.#begun.values()].filter(({ plan, progress }) => !known.has(plan) && progress.tally.runs > 0)
  }

  #report(phase: Progress['phase'], { plan: { choice, bound }, progress }: PlayedPair): void {
    this.context.progress({
      phase,
      implementation: choice.implementationName,
      scenario: choice.scenarioName,
      runs: progress.tally.runs,
      runsRequested: 'runs' in bound ? bound.runs : null,
      whole: this.#whole(),
    })
  }

  #whole(): CampaignProgress {
    const begun = [...this.#begun.values()]
    let costDone = 0
    let costTotal = 0
    for (const plan of this.plans) {
      const progress = this.#begun.get(plan)?.progress
      const runs = progress?.tally.runs ?? 0
      const usual = progress?.leastRuns ?? Math.min(expectedRuns, mostRunsOf(plan.bound, noMinimum))
      const most = 'runs' in plan.bound ? plan.bound.runs : usual
      costDone += runs * plan.choice.runMs
      costTotal += (progress?.isDone ? runs : Math.max(runs, most)) * plan.choice.runMs
    }
    const findings = new Set(begun.flatMap(({ plan, progress }) => waysOf(plan, progress))).size
    if (findings > 0) costTotal *= 1 + shareOfSearches
    return {
      pairsDone: begun.filter(({ progress }) => progress.isDone).length,
      pairs: this.plans.length,
      runs: begun.reduce((sum, { progress }) => sum + progress.tally.runs, 0),
      findings,
      costDone,
      costTotal: this.plans.some(({ bound }) => 'timeMs' in bound) ? null : costTotal,
      startedMs: this.#startedMs,
    }
  }
}

const noMinimum = { minimumRuns: 0 }

/** The ways in which a layer broke. They are counted as findings until all runs are played. */
function waysOf({ choice: { implementationPath, sink } }: PairPlan, { tally }: PlayedPair['progress']): string[] {
  const ways = [...tally.paths.values()].map(({ invariant, kind }) => `${invariant} ${kind}`)
  return ways.map((way) => `${implementationPath} ${sink} ${way}`)
}
