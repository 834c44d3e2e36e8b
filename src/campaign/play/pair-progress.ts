/**
 * The progress of one pair: the next chunk, the tally of the played runs, and the stop condition.
 */

import type { CampaignViolation } from '../../contract/results/results.ts'
import type { ReportedViolation } from '../causes/reported-violation.ts'
import { emptyTally, mergeTally, type Tally } from '../tally/tally.ts'
import type { Bound, PairPlan } from './campaign-request.ts'
import type { LoadedPair } from './load-pair.ts'
import { chunkSize, isOver } from './run-chunk.ts'
import type { ChunkTask, PairTask } from './tasks.ts'
import { pairTask } from './tasks.ts'

/** Limits that a pair's scenario and layer set. */
export interface PairLimits {
  readonly minimumRuns: number
  /** Goals that some run must reach. */
  readonly goals: readonly string[]
  /**
   * The number of events after which a violated pair stops, even if it has not reached its goals.
   */
  readonly violatedEvents?: number
}

/** A chunk that failed before its end. */
export class ChunkFailure {
  constructor(readonly error: unknown) {}
}

/**
 * Chunks have fixed borders, and are merged in the order of runs, even if they arrive in another
 * order. Runs after the run that ended the pair are dropped, even if they failed.
 */
export class PairProgress {
  readonly tally: Tally = emptyTally()
  readonly task: PairTask
  isDone = false
  /** Why the harness failed; null if it did not. */
  failure: string | null = null
  #next = 0
  #underWay = 0
  readonly #early = new Map<number, Tally | ChunkFailure>()
  private readonly stopsEarly: Pick<ChunkTask, 'bail' | 'until' | 'violatedEvents'>

  constructor(
    readonly plan: PairPlan,
    private readonly limits: PairLimits,
    stopsEarly: Pick<ChunkTask, 'bail' | 'until'>,
    from: Pick<PairTask, 'seed' | 'fresh'>,
  ) {
    const { violatedEvents } = limits
    const isBounded = 'quietShare' in plan.bound && plan.bound.quietShare < 1 && violatedEvents !== undefined
    this.stopsEarly = { ...stopsEarly, ...(isBounded && { violatedEvents }) }
    this.task = pairTask(plan.choice, from)
  }

  /**
   * `needed`: more runs are needed, whatever the in-flight chunks return. `perhaps`: more runs are
   * needed only if the in-flight chunks do not end the pair.
   */
  get wants(): 'needed' | 'perhaps' | 'nothing' {
    if (this.isDone || this.#next >= this.#mostRuns) return 'nothing'
    if (this.#underWay === 0) return 'needed'
    const { bail, until } = this.stopsEarly
    if (bail || until !== undefined) return 'perhaps'
    const { bound } = this.plan
    return 'runs' in bound || this.#next < this.leastRuns ? 'needed' : 'perhaps'
  }

  /** The number of runs that were assigned to chunks. */
  get handedOut(): number {
    return this.#next
  }

  /** The pair plays at least this number of runs, unless it is stopped. */
  get leastRuns(): number {
    const { bound } = this.plan
    return Math.max(this.limits.minimumRuns, 'leastRuns' in bound ? bound.leastRuns : 0)
  }

  get #mostRuns(): number {
    return mostRunsOf(this.plan.bound, this.limits)
  }

  take(): ChunkTask {
    const from = this.#next
    const to = this.#borderAfter(from)
    this.#next = to
    this.#underWay++
    return { ...this.task, ...this.stopsEarly, from, to }
  }

  /**
   * Adds a finished chunk. Returns the first failure that counts: all earlier chunks were merged
   * and did not end the pair. A failure is returned once, and nothing is merged after it.
   */
  give({ from }: Pick<ChunkTask, 'from'>, chunk: Tally | ChunkFailure): ChunkFailure | null {
    this.#underWay--
    this.#early.set(from, chunk)
    for (let next = this.#early.get(this.#folded); next !== undefined; next = this.#early.get(this.#folded)) {
      this.#early.delete(this.#folded)
      if (!this.isDone && next instanceof ChunkFailure) return next
      this.#folded = this.#borderAfter(this.#folded)
      if (this.isDone || next instanceof ChunkFailure) continue
      mergeTally(this.tally, next)
      this.isDone = this.#isOver()
    }
    return null
  }

  #folded = 0

  /**
   * A chunk ends at each run after which the pair may stop: after the least runs, then after each
   * quiet period.
   */
  #borderAfter(from: number): number {
    const { bound } = this.plan
    const quiet = 'quietShare' in bound ? Math.max(1, Math.ceil(bound.quietShare * this.leastRuns)) : chunkSize
    const border = from < this.leastRuns ? this.leastRuns : from + quiet
    return Math.min(from + chunkSize, this.#mostRuns, border)
  }

  /** Ends the pair because the harness failed or the user stopped it. */
  end(failure: string | null): void {
    this.failure ??= failure
    this.isDone = true
  }

  #isOver(): boolean {
    if (this.tally.unusable !== null || isOver(this.stopsEarly, this.tally)) return true
    const { bound } = this.plan
    const { runs } = this.tally
    if (runs >= this.#mostRuns) return true
    if (!('quietShare' in bound)) return false
    if (runs < this.leastRuns) return false
    // If `quietShare` is below 1, only goals and crash points prolong the pair, because no canary
    // needs more runs.
    const prolongs = (item: string) => bound.quietShare >= 1 || /^(?:goal|crash at) /.test(item)
    const lastNewCoverage = Math.max(
      -1,
      ...[...this.tally.newCoverage].map(([item, run]) => (prolongs(item) ? run : -1)),
    )
    if (runs - (lastNewCoverage + 1) < bound.quietShare * this.leastRuns) return false
    return this.limits.goals.every((goal) => this.tally.goals.has(goal))
  }
}

export function mostRunsOf(bound: Bound, { minimumRuns }: Pick<PairLimits, 'minimumRuns'>): number {
  if ('runs' in bound) return bound.runs
  return 'mostRuns' in bound ? Math.max(minimumRuns, bound.mostRuns) : Number.POSITIVE_INFINITY
}

/** A pair whose runs were played. */
export interface PlayedPair {
  readonly plan: PairPlan
  readonly pair: LoadedPair
  readonly progress: PairProgress
  /**
   * True if the layer's modules were loaded again for every run, because their state had outlived a
   * run.
   */
  readonly fresh: boolean
  readonly goalReasons: { readonly [goal: string]: string }
  /** Past failures that broke again. */
  readonly again: readonly ReportedViolation[]
  /** The smallest order of an exploration that breaks the layer, if no drawn run does. */
  readonly explored?: CampaignViolation
}
