/**
 * One queue of chunks over all pairs, so that no worker waits for a pair to end. Pairs are reported
 * in the given order, even if their chunks arrive in another order.
 */

import { minimumRunsOf } from '../../contract/api/scenario.ts'
import { LoadError } from '../../sim/adapters/load-implementation.ts'
import type { CampaignContext, CampaignRequest, PairPlan } from '../play/campaign-request.ts'
import { EndlessTurn } from '../play/endless-turn.ts'
import type { End } from '../play/executor.ts'
import { failureText } from '../play/harness-failure.ts'
import { loadPair } from '../play/load-pair.ts'
import type { PlayedPair } from '../play/pair-progress.ts'
import { ChunkFailure, type PairLimits, PairProgress } from '../play/pair-progress.ts'
import type { ChunkTask } from '../play/tasks.ts'
import { pairTask } from '../play/tasks.ts'
import { replayCorpus } from '../replay/replay-corpus.ts'
import { goalReasons } from '../tally/goal-reasons.ts'
import { mergeTally } from '../tally/tally.ts'
import { LeakError } from '../token/nondeterminism.ts'

/**
 * The maximum number of a layer's pairs with an endless turn, because each costs a minute. After
 * that, the layer's other pairs are skipped.
 */
const mostEndless = 3

export interface Listener {
  /**
   * Called for each finished chunk of the pair. The chunk may have failed, or may still wait for
   * earlier chunks. `end`: the end of the queue (`cheap` or `dear`) from which the worker takes
   * chunks.
   */
  played(pair: PlayedPair, end: End): void
  /** Called when a pair is done, in the order of the plans. */
  done(pair: PlayedPair): void
  /** Called when a worker finds no chunk to play. */
  idle?(): void
}

type PlayRequest = Pick<CampaignRequest, 'seed' | 'bail'> & {
  /** The pairs are sorted by cost, the cheapest first. */
  readonly sorted?: true
}

/**
 * Plays all pairs.
 * @throws LoadError if a layer or a scenario cannot be used, and no invariant was violated before
 */
export async function playPairs(
  plans: readonly PairPlan[],
  request: PlayRequest,
  context: CampaignContext,
  listener: Listener,
): Promise<void> {
  return new Queue(plans, request, context, listener).play()
}

interface Entry {
  played: PlayedPair
  /** Why the layer cannot be used. */
  unusable?: LoadError
}

class Queue {
  #pairs: Entry[] = []
  #reported = 0
  #underWay = 0
  #bailed = false
  /** True when every pair is done. Chunks that are still in flight are then ignored. */
  #over = false
  #end: () => void = () => {}

  constructor(
    private readonly plans: readonly PairPlan[],
    private readonly request: PlayRequest,
    private readonly context: CampaignContext,
    private readonly listener: Listener,
  ) {}

  async play(): Promise<void> {
    for (const plan of this.plans) this.#pairs.push({ played: await this.#begin(plan) })
    const allDone = new Promise<void>((resolve) => (this.#end = resolve))
    const work = async (end: End): Promise<void> => {
      for (let next = this.#next(end); next !== null; next = this.#next(end)) await this.#chunk(next, end)
      if (this.#unusable === null) this.listener.idle?.()
    }
    // A worker that finds no work ends. Chunks that become needed later are played by workers that
    // are still at work.
    const { size } = this.context.executor
    await Promise.race([Promise.all(Array.from({ length: size }, (_, nth) => work(this.#endOf(nth)))), allDone])
    this.#over = true
    if (this.#unusable !== null) throw this.#unusable
    // If the bound is time, the time has passed, so all pairs end.
    if (!this.#bailed && !this.context.deps.stopped()) for (const { played } of this.#pairs) played.progress.end(null)
    const left = this.#pairs.filter((pair, at) => pair.unusable !== undefined || at >= this.#reported)
    for (const { played } of left) if (played.progress.isDone) this.listener.done(played)
  }

  /**
   * Why the first unusable layer cannot be used; null if all layers can be used, or if a pair was
   * violated.
   */
  get #unusable(): LoadError | null {
    const found = this.#pairs.find(({ unusable }) => unusable !== undefined)
    return found === undefined || this.#pairs.some(isViolated) ? null : found.unusable!
  }

  async #begin(plan: PairPlan, fresh = false): Promise<PlayedPair> {
    const { seed, bail } = this.request
    const pair = await loadPair(pairTask(plan.choice, { seed, fresh }), this.context.deps)
    const { scenario, implementation } = pair
    const reasons = goalReasons(scenario.goals, implementation.implementation, plan.choice.sink, this.context.deps)
    const limits: PairLimits = {
      minimumRuns: minimumRunsOf(scenario),
      violatedEvents: scenario.shape === 'single' ? 100_000 : 300_000,
      goals: scenario.goals.filter((goal) => !(goal in reasons)),
    }
    const { until } = plan
    const progress = new PairProgress(
      plan,
      limits,
      { bail, ...(until === undefined ? {} : { until }) },
      { seed, fresh },
    )
    const { deps, alone } = this.context
    const { found, tally } = await alone(() => replayCorpus(progress.task, plan.choice.corpus, deps))
    mergeTally(progress.tally, tally)
    return { plan, pair, progress, fresh, goalReasons: reasons, again: found }
  }

  /** With `--bail` or a time bound, all workers start at the cheap end. */
  #endOf(nth: number): End {
    const { bail, sorted = false } = this.request
    const hasDear = sorted && !bail && !this.#isTimed && this.context.executor.bothEnds === true
    return hasDear && nth % 2 === 1 ? 'dear' : 'cheap'
  }

  /**
   * The next chunk: the first chunk that is certainly needed. If there is none and a worker may be
   * idle, the first chunk that may be needed.
   */
  #next(end: End): { entry: Entry; task: ChunkTask } | null {
    if (this.#over || this.#bailed || this.context.deps.stopped()) return null
    const open = this.#inTurn(end).filter(({ played }) => this.#mayStart(played.progress))
    const entry =
      open.find(({ played }) => played.progress.wants === 'needed') ??
      (this.#hasIdleWorker ? open.find(({ played }) => played.progress.wants === 'perhaps') : undefined)
    return entry === undefined ? null : { entry, task: entry.played.progress.take() }
  }

  /** True if a worker may be idle: fewer than half of the wanted tasks are in flight. */
  get #hasIdleWorker(): boolean {
    return this.#underWay < this.context.executor.size / 2
  }

  get #isTimed(): boolean {
    return this.plans.some(({ bound }) => 'timeMs' in bound)
  }

  /**
   * The order in which to look for the next chunk. If the bound is time, pairs with the fewest runs
   * come first.
   */
  #inTurn(end: End): Entry[] {
    if (!this.#isTimed) return end === 'cheap' ? this.#pairs : [...this.#pairs].reverse()
    return [...this.#pairs].sort((a, b) => a.played.progress.handedOut - b.played.progress.handedOut)
  }

  #mayStart({ plan: { bound }, handedOut }: PairProgress): boolean {
    return !('timeMs' in bound) || handedOut === 0 || this.context.elapsedMs() < bound.timeMs
  }

  async #chunk({ entry, task }: { entry: Entry; task: ChunkTask }, end: End): Promise<void> {
    const { played } = entry
    this.#underWay++
    const chunk = await this.context.executor.runChunk(task, end).catch((error: unknown) => new ChunkFailure(error))
    this.#underWay--
    if (this.#over || entry.played !== played) return
    const failure = played.progress.give(task, chunk)
    if (failure !== null) await this.#failed(entry, failure)
    this.listener.played(entry.played, end)
    if (this.request.bail && entry.played.progress.tally.paths.size > 0) this.#bailed = true
    this.#reportDone()
  }

  /**
   * Handles a failed chunk. After a `LeakError` the pair starts again, and its modules are loaded
   * again for every run.
   */
  async #failed(entry: Entry, { error }: ChunkFailure): Promise<void> {
    const { plan, progress, fresh } = entry.played
    if (error instanceof LoadError) {
      this.#giveUp(entry, error)
      if (error instanceof EndlessTurn) this.#giveUpLayer(progress.task.implementationPath, error)
    } else if (error instanceof LeakError && !fresh) entry.played = await this.#begin(plan, true)
    else progress.end(failureText(error))
  }

  #giveUp(entry: Entry, error: LoadError): void {
    const { progress } = entry.played
    entry.unusable = error
    progress.tally.unusable = error.message
    progress.end(null)
  }

  #giveUpLayer(path: string, error: EndlessTurn): void {
    const own = this.#pairs.filter(({ played }) => played.progress.task.implementationPath === path)
    if (own.filter(({ unusable }) => unusable instanceof EndlessTurn).length < mostEndless) return
    for (const entry of own) if (!entry.played.progress.isDone) this.#giveUp(entry, error)
  }

  #reportDone(): void {
    for (let next = this.#pairs[this.#reported]; next?.played.progress.isDone; next = this.#pairs[++this.#reported])
      if (next.unusable === undefined) this.listener.done(next.played)
    if (this.#reported === this.#pairs.length) this.#end()
  }
}

const isViolated = ({ played: { again, progress } }: Entry): boolean =>
  again.length > 0 || progress.tally.paths.size > 0
