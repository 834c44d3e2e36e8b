/**
 * The crosscheck: executes a sample of a campaign's own commands on a real server of the store
 * (docs/how-it-works/decisions/0005).
 */

import { ServerGone } from 'test-servers'
import { type StoreKind, usualStores } from '../../contract/api/store.ts'
import type {
  CrosscheckDisagreement,
  CrosscheckedCounterexample,
  CrosscheckFigures,
} from '../../contract/results/results.ts'
import type { ShownRun } from '../explain/violation-result.ts'
import type { CampaignContext } from '../play/campaign-request.ts'
import type { End, Executor } from '../play/executor.ts'
import { loadPair } from '../play/load-pair.ts'
import type { PlayedPair } from '../play/pair-progress.ts'
import { requestOf } from '../play/run-chunk.ts'
import { playTraffic, type RunTraffic, trafficOf } from '../play/run-traffic.ts'
import { addressOf, type PairTask, pairTask } from '../play/tasks.ts'
import { replayByAddress, replayRecorded } from '../token/replay-command.ts'
import { choicesOf, sourceOf } from '../token/run-choices.ts'
import { encodeToken } from '../token/token.ts'
import { type Trail, trailOf } from '../token/trail.ts'
import type { WorldRequest } from '../types.ts'
import type { CrosscheckDifference, Replayed } from './replayed.ts'

/** The number of replayed runs: at least one for each pair, and at most ten of one pair. */
const wantedRuns = 150
const mostOfOnePair = 10
/** One in this many runs of a pair is replayed. */
const crosscheckEvery = 25

/** The position of the runs that findings show, which is after all pairs. */
const afterPairs = Number.MAX_SAFE_INTEGER

interface RealServer {
  readonly version: string
  stop(): Promise<void>
}

export interface TrafficPlayer {
  readonly executor: Pick<Executor, 'traffic'>
}

/**
 * The position of a pair in the campaign, which does not depend on the order in which pairs end.
 * `end`: the end of the queue whose workers played the pair last.
 */
export interface PairPlace {
  readonly place: number
  readonly end?: End
}

/** One kind of store, with its real server. */
export interface AskedStore<Real extends RealServer> {
  readonly kind: StoreKind
  readonly offer:
    | { readonly kind: 'ready'; start(): Promise<Real> }
    | { readonly kind: 'none'; readonly reason: string }
  /**
   * Executes the commands of a run on the real server and compares the replies.
   * @throws ServerGone
   */
  replay(played: RunTraffic, real: Real): Promise<Replayed>
}

/** The result of a crosscheck. */
export type Crosschecked =
  | { readonly verdict: 'skipped'; readonly reason: string }
  | ({ readonly verdict: 'agrees'; readonly version: string } & CrosscheckFigures)
  | ({
      readonly verdict: 'disagrees'
      readonly version: string
      readonly disagreement: CrosscheckDisagreement
    } & CrosscheckFigures)

/**
 * A crosscheck that runs during the campaign: pairs are replayed in this thread as they end. If
 * there are workers, they play the runs to be replayed, because their code for these runs is
 * already compiled. If there are several differences, the report shows the difference of the first
 * pair, even if another pair ended first. Layers that keep nothing in the store are skipped.
 */
export class Crosscheck<Real extends RealServer> {
  #real: Promise<Real> | null = null
  #work: Promise<void> = Promise.resolve()
  #ms = 0
  #compared = 0
  #byRule = 0
  #runs = 0
  readonly #leftOut = new Map<string, number>()
  readonly #counterexamples: CrosscheckedCounterexample[] = []
  #disagreement: CrosscheckDisagreement | null = null
  /** The position of the pair with the disagreement. Later pairs are not replayed. */
  #place = Number.POSITIVE_INFINITY
  readonly #layers = new Set<string>()
  readonly #runsOfEach: number

  constructor(
    private readonly store: AskedStore<Real>,
    pairs: number,
    private readonly seed: number,
    private readonly context: Pick<CampaignContext, 'deps' | 'elapsedMs' | 'alone'> & TrafficPlayer,
  ) {
    this.#runsOfEach = Math.min(mostOfOnePair, Math.max(1, Math.floor(wantedRuns / Math.max(1, pairs))))
  }

  /** Replays a sample of a pair's runs. */
  add(
    { plan: { choice }, pair: { implementation }, progress: { tally, failure } }: PlayedPair,
    where: PairPlace,
  ): void {
    const { id, stores = usualStores } = implementation.implementation
    if (!stores.includes(this.store.kind)) return
    this.#layers.add(id)
    if (failure !== null || this.store.offer.kind === 'none') return
    const task = pairTask(choice, { seed: this.seed, fresh: false })
    const most = Math.min(tally.runs, this.#runsOfEach * crosscheckEvery)
    const runs = Array.from({ length: Math.ceil(most / crosscheckEvery) }, (_, nth) => nth * crosscheckEvery)
    const { deps, executor } = this.context
    // The traffic is requested at once, so that it does not delay the end of the campaign.
    const early = runs.length === 0 || deps.stopped() ? undefined : executor.traffic?.(task, runs, where.end)
    early?.catch(() => {})
    this.#queue(() => this.#pass(task, runs, where.place, early))
  }

  /** Replays all runs that findings show. */
  addShown(shown: readonly ShownRun[]): void {
    for (const one of shown) if (this.#layers.has(one.finding.implementation)) this.#queue(() => this.#show(one))
  }

  /** The names of the layers whose pairs were added. */
  get implementations(): readonly string[] {
    return [...this.#layers].sort()
  }

  #queue(work: () => Promise<void>): void {
    const { offer } = this.store
    if (offer.kind === 'none') return
    if (this.#real === null) {
      this.#real = offer.start()
      this.#real.catch(() => {})
    }
    this.#work = this.#work.then(work)
    // Avoids an unhandled rejection: `result` reports the error.
    this.#work.catch(() => {})
  }

  async result(): Promise<Crosschecked> {
    const { deps } = this.context
    const { offer } = this.store
    if (offer.kind === 'none') return { verdict: 'skipped', reason: offer.reason }
    try {
      await this.#work
      const real = await this.#real
      if (real !== null && this.#compared > 0) return this.#figures(real)
      return { verdict: 'skipped', reason: deps.stopped() ? 'interrupted' : 'nothing to compare' }
    } catch (error) {
      if (!(error instanceof ServerGone)) throw error
      return { verdict: 'skipped', reason: deps.stopped() ? 'interrupted' : error.message }
    } finally {
      await this.#real?.then(
        (real) => real.stop(),
        () => {},
      )
    }
  }

  async #pass(task: PairTask, runs: readonly number[], place: number, early?: Promise<RunTraffic[]>): Promise<void> {
    const { deps, alone } = this.context
    const real = await this.#real!
    const played = await early
    for (const [nth, run] of runs.entries()) {
      if (this.#place <= place || deps.stopped()) return
      await alone(async () => {
        const [traffic] = played === undefined ? await playTraffic(task, [run], deps) : played.slice(nth, nth + 1)
        if (traffic === undefined) return
        const { difference } = await this.#replay(real, traffic)
        if (difference === null) return
        const request = requestOf(task, await loadPair(task, deps), run)
        // The token needs the trail of the whole run.
        const trail = trailOf(await deps.runWorld(request))
        this.#disagree(disagreementOf(task, run, request, trail, difference), place)
      })
    }
  }

  async #show({ finding, recorded, task }: ShownRun): Promise<void> {
    const { deps, alone } = this.context
    const real = await this.#real!
    if (this.#disagreement !== null || deps.stopped()) return
    const { plan, run } = recorded
    const { sink } = task
    const pair = await loadPair(task, deps)
    const request = { ...pair, sink, plan, choices: sourceOf(recorded), record: false }
    await alone(async () => {
      deps.playing(addressOf(task, run))
      const traffic = trafficOf(await deps.runWorld({ ...request, traffic: true }))
      const { compared, leftOut, difference } = await this.#replay(real, traffic)
      const { implementation, id } = finding
      const asked = { implementation, sink, finding: id, commands: compared, leftOut: countsOf(leftOut) }
      this.#counterexamples.push(asked)
      if (difference === null) return
      this.#disagree({ ...disagreementOf(task, run, request, traffic.trail, difference), finding: id }, afterPairs)
    })
  }

  #disagree(disagreement: CrosscheckDisagreement, place: number): void {
    this.#disagreement = disagreement
    this.#place = place
  }

  async #replay(real: Real, traffic: RunTraffic): Promise<Replayed> {
    const startedMs = this.context.elapsedMs()
    let replayed = await this.store.replay(traffic, real)
    // A run with a difference is replayed again, because the real server's clock keeps running. If
    // the difference does not recur, a stall of the machine caused it.
    if (replayed.difference !== null) replayed = await this.store.replay(traffic, real)
    this.#add(replayed)
    this.#ms += this.context.elapsedMs() - startedMs
    return replayed
  }

  #add({ compared, byRule, leftOut }: Replayed): void {
    this.#runs++
    this.#compared += compared
    this.#byRule += byRule
    for (const [why, commands] of leftOut) this.#leftOut.set(why, (this.#leftOut.get(why) ?? 0) + commands)
  }

  #figures({ version }: Real): Crosschecked {
    const figures = {
      version,
      runs: this.#runs,
      commands: this.#compared,
      byRule: this.#byRule,
      leftOut: countsOf(this.#leftOut),
      counterexamples: this.#counterexamples,
      ms: Math.round(this.#ms),
    }
    return this.#disagreement === null
      ? { verdict: 'agrees', ...figures }
      : { verdict: 'disagrees', ...figures, disagreement: this.#disagreement }
  }
}

function countsOf(counts: ReadonlyMap<string, number>): { readonly [why: string]: number } {
  return Object.fromEntries([...counts].sort(([a], [b]) => (a < b ? -1 : 1)))
}

function disagreementOf(
  task: PairTask,
  run: number,
  { plan, choices }: WorldRequest,
  trail: Trail,
  difference: CrosscheckDifference,
): CrosscheckDisagreement {
  const { scenarioName: scenario, implementationName: implementation, sink, seed } = task
  const address = { scenario, implementation, sink, seed, run }
  const token = encodeToken({ ...address, plan, ...choicesOf(choices), ...trail })
  const replay = token === null ? replayByAddress(address) : replayRecorded(token, address)
  return { ...address, ...difference, token, replay }
}
