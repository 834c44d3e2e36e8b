/** One layer under one scenario: corpus, runs, and for each way in which it broke the smallest run found. */

import { gravity } from '../contract/gravity.ts'
import type { PairResult, ViolationResult } from '../contract/results.ts'
import { LoadError } from '../sim/runtime/load-implementation.ts'
import type { CampaignRequest, PairChoice, Surroundings } from './campaign-request.ts'
import type { PairTask } from './crew.ts'
import { goalReasons } from './goal-reasons.ts'
import { LeakError, NondeterminismError } from './nondeterminism.ts'
import { pairResult } from './pair-result.ts'
import { replayCorpus } from './replay-corpus.ts'
import { chunkSize, isOver, loadPair } from './run-chunk.ts'
import { emptyTally, mergeTally, type Tally } from './tally.ts'
import { violationResult } from './violation-result.ts'

/** How far one pair may go. `until`: in milliseconds of the surroundings' clock. */
export type PairBound = { readonly runs: number } | { readonly until: number }

export interface PairPlan {
  readonly choice: PairChoice
  readonly bound: PairBound
  readonly bail: boolean
  /** Stops after the first run that violates in this way: an invariant and a kind, or how they begin. */
  readonly until?: string
  /**
   * Looks for a smaller run of one violation only, that of `until` or else the gravest; the others stay as they were
   * drawn.
   */
  readonly gravestOnly?: boolean
}

/** A pair's result, and the tally that it was made of. */
export interface PairRun {
  readonly pair: PairResult
  readonly tally: Tally
}

/** What a pair needs to know of the campaign that it is part of. */
export type PairContext = Pick<CampaignRequest, 'seed' | 'shrinkBudget' | 'reports'>

/** @throws LoadError; everything else that goes wrong is in the result */
export async function runPair(plan: PairPlan, request: PairContext, around: Surroundings): Promise<PairRun> {
  const attempt = new PairAttempt(plan, request, around, false)
  try {
    return await attempt.result()
  } catch (error) {
    if (!(error instanceof LeakError)) throw error
    return new PairAttempt(plan, request, around, true).result()
  }
}

class PairAttempt {
  readonly #tally = emptyTally()
  readonly #violations: ViolationResult[] = []
  readonly #task: PairTask

  constructor(
    private readonly plan: PairPlan,
    private readonly request: PairContext,
    private readonly around: Surroundings,
    private readonly fresh: boolean,
  ) {
    const { corpus: _, ...names } = plan.choice
    this.#task = { ...names, seed: request.seed, fresh }
  }

  async result(): Promise<PairRun> {
    const { bound } = this.plan
    const { scenario, implementation } = await loadPair(this.#task, this.around.bench)
    const failure = await this.#failureOf(() => this.#search())
    const cutShort = this.around.bench.stopped() ? `interrupted after ${this.#tally.runs} runs` : null
    const pair = pairResult({
      ...{ scenario, implementation: implementation.implementation, sink: this.#task.sink, tally: this.#tally },
      ...{ violations: this.#violations, failure, cutShort },
      runsRequested: 'runs' in bound ? bound.runs : this.#tally.runs,
      notes: this.fresh ? [anewNote] : [],
      goalReasons: goalReasons(scenario.goals, implementation.implementation, this.#task.sink, this.around.bench),
    })
    return { pair, tally: this.#tally }
  }

  async #search(): Promise<void> {
    const corpus = await replayCorpus(this.#task, this.plan.choice.corpus, this.around.bench)
    mergeTally(this.#tally, corpus.tally)
    this.#violations.push(...corpus.found.map((found) => violationResult(found, this.request, this.around)))
    await this.#runAll()
    await this.#shrinkAll(new Set(corpus.found.map(({ invariant, violation }) => `${invariant} ${violation.kind}`)))
  }

  /** Keeps the crew busy with chunks, and takes their answers in order. */
  async #runAll(): Promise<void> {
    const { crew } = this.around
    const { bail, until } = this.plan
    const over = { bail, ...(until === undefined ? {} : { until }) }
    const underWay: Promise<Tally>[] = []
    for (let next = 0; ; ) {
      while (underWay.length < crew.size && this.#mayStart(next)) {
        const to = Math.min(next + chunkSize, 'runs' in this.plan.bound ? this.plan.bound.runs : Infinity)
        const chunk = crew.runChunk({ ...this.#task, from: next, to, ...over })
        chunk.catch(() => {}) // Whoever takes it sees it; one that nobody takes any more must not end the process.
        underWay.push(chunk)
        next = to
      }
      const chunk = await underWay.shift()
      if (chunk === undefined) return
      mergeTally(this.#tally, chunk)
      this.#tell('running')
      if (isOver(over, this.#tally)) break
    }
    await Promise.allSettled(underWay)
  }

  #mayStart(next: number): boolean {
    if (this.around.bench.stopped()) return false
    const { bound } = this.plan
    return 'runs' in bound ? next < bound.runs : next === 0 || this.around.elapsedMs() < bound.until
  }

  async #shrinkAll(known: ReadonlySet<string>): Promise<void> {
    const { crew, bench } = this.around
    const wanted = [...this.#tally.firsts].filter(([what]) => !known.has(what)).map(([, first]) => first)
    wanted.sort((a, b) => gravity(a.invariant) - gravity(b.invariant))
    const gravest =
      wanted.find(({ invariant, kind }) => `${invariant} ${kind}`.startsWith(this.plan.until ?? '')) ?? wanted[0]
    const one = async (): Promise<void> => {
      for (let first = wanted.shift(); first !== undefined; first = wanted.shift()) {
        this.#tell('shrinking')
        const idle = bench.stopped() || (this.plan.gravestOnly && first !== gravest)
        const budget = idle ? 0 : this.request.shrinkBudget
        const found = await crew.shrink({ ...this.#task, ...first, budget })
        this.#violations.push(violationResult(found, this.request, this.around))
      }
    }
    await Promise.all(Array.from({ length: crew.size }, one))
  }

  #tell(phase: 'running' | 'shrinking'): void {
    const { bound, choice } = this.plan
    this.around.progress({
      ...{ phase, implementation: choice.implementationName, scenario: choice.scenarioName, runs: this.#tally.runs },
      runsRequested: 'runs' in bound ? bound.runs : null,
    })
  }

  async #failureOf(work: () => Promise<void>): Promise<string | null> {
    try {
      await work()
      return null
    } catch (error) {
      if (error instanceof LoadError || (error instanceof LeakError && !this.fresh)) throw error
      const text = error instanceof Error ? error.message : String(error)
      if (error instanceof NondeterminismError || error instanceof LeakError) return `nondeterminism: ${text}`
      return `the harness failed, which is a bug of onceproof: ${text}`
    }
  }
}

const anewNote = "state of the layer's modules outlives a run, so every run had its modules loaded anew"
