/** The crosscheck: a sample of a campaign's own commands, on a real server of its store (docs/decisions/0005). */
import type { CrosscheckDisagreement, CrosscheckedCounterexample, CrosscheckFigures } from '../../contract/results.ts'
import { type StoreKind, usualStores } from '../../contract/store.ts'
import { ServerGone } from '../../fidelity/server-gone.ts'
import type { RunResult, WorldRequest } from '../campaign-deps.ts'
import type { CampaignContext, PairChoice } from '../campaign-request.ts'
import type { ShownRun } from '../findings.ts'
import { loadPair } from '../load-pair.ts'
import type { PlayedPair } from '../play-pairs.ts'
import { replayByAddress, replayRecorded } from '../replay-command.ts'
import { choicesOf, sourceOf } from '../run-choices.ts'
import { requestOf } from '../run-chunk.ts'
import { addressOf, type PairTask, pairTask } from '../tasks.ts'
import { encodeToken } from '../token.ts'
import { trailOf } from '../trail.ts'
import type { CrosscheckDifference, Replayed } from './replayed.ts'

/** Runs that are replayed: at least one of each pair, and of few pairs no more than ten each. */
const wantedRuns = 150
const mostOfOnePair = 10
/** Of a pair, one run in this many is replayed. */
const crosscheckEvery = 25

interface RealServer {
  readonly version: string
  stop(): Promise<void>
}

/** One kind of store, and the real server of it. */
export interface AskedStore<Real extends RealServer> {
  readonly kind: StoreKind
  readonly offer:
    | { readonly kind: 'ready'; start(): Promise<Real> }
    | { readonly kind: 'none'; readonly reason: string }
  /** What the store executed in a run, executed by the real server. @throws ServerGone */
  replay(played: RunResult, real: Real): Promise<Replayed>
}

/** What came of it. */
export type Crosschecked =
  | { readonly verdict: 'skipped'; readonly reason: string }
  | ({ readonly verdict: 'agrees'; readonly version: string } & CrosscheckFigures)
  | ({
      readonly verdict: 'disagrees'
      readonly version: string
      readonly disagreement: CrosscheckDisagreement
    } & CrosscheckFigures)

/**
 * Beside the campaign: pairs are replayed as they end, in this thread, which has no other work where there are workers.
 * Layers that keep nothing in the store are left out.
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
  readonly #layers = new Set<string>()
  readonly #runsOfEach: number

  constructor(
    private readonly store: AskedStore<Real>,
    pairs: number,
    private readonly seed: number,
    private readonly context: Pick<CampaignContext, 'deps' | 'elapsedMs' | 'alone'>,
  ) {
    this.#runsOfEach = Math.min(mostOfOnePair, Math.max(1, Math.floor(wantedRuns / Math.max(1, pairs))))
  }

  /** A sample of a pair's runs. */
  add({ plan: { choice }, pair: { implementation }, progress: { tally, failure } }: PlayedPair): void {
    const { id, stores = usualStores } = implementation.implementation
    if (!stores.includes(this.store.kind)) return
    this.#layers.add(id)
    if (failure === null) this.#queue(() => this.#pass(choice, tally.runs))
  }

  /** The runs that people are shown, all of them. */
  addShown(shown: readonly ShownRun[]): void {
    for (const one of shown) if (this.#layers.has(one.finding.implementation)) this.#queue(() => this.#show(one))
  }

  /** The layers whose pairs were added. */
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
    // The result tells what went wrong.
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

  async #pass(choice: PairChoice, runs: number): Promise<void> {
    const real = await this.#real!
    const task = pairTask(choice, { seed: this.seed, fresh: false })
    const pair = await loadPair(task, this.context.deps)
    for (let run = 0; run < Math.min(runs, this.#runsOfEach * crosscheckEvery); run += crosscheckEvery) {
      if (this.#disagreement !== null || this.context.deps.stopped()) return
      await this.context.alone(() => this.#play(real, task, run, requestOf(task, pair, run)))
    }
  }

  async #show({ finding, recorded, task }: ShownRun): Promise<void> {
    const real = await this.#real!
    if (this.#disagreement !== null || this.context.deps.stopped()) return
    const { plan, run } = recorded
    const { sink } = task
    const pair = await loadPair(task, this.context.deps)
    const request = { ...pair, sink, plan, choices: sourceOf(recorded), record: false }
    await this.context.alone(async () => {
      const { compared, leftOut } = await this.#play(real, task, run, request)
      const { implementation, id } = finding
      const asked = { implementation, sink, finding: id, commands: compared, leftOut: countsOf(leftOut) }
      this.#counterexamples.push(asked)
      if (this.#disagreement !== null) this.#disagreement = { ...this.#disagreement, finding: id }
    })
  }

  async #play(real: Real, task: PairTask, run: number, request: WorldRequest): Promise<Replayed> {
    const startedMs = this.context.elapsedMs()
    this.context.deps.playing(addressOf(task, run))
    const played = await this.context.deps.runWorld({ ...request, traffic: true })
    let replayed = await this.store.replay(played, real)
    // The real server's clock runs on: a difference that does not recur was a stall of the machine.
    if (replayed.difference !== null) replayed = await this.store.replay(played, real)
    this.#add(replayed)
    if (replayed.difference !== null)
      this.#disagreement = disagreementOf(task, run, request, played, replayed.difference)
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
  played: RunResult,
  difference: CrosscheckDifference,
): CrosscheckDisagreement {
  const { scenarioName: scenario, implementationName: implementation, sink, seed } = task
  const address = { scenario, implementation, sink, seed, run }
  const token = encodeToken({ ...address, plan, ...choicesOf(choices), ...trailOf(played) })
  const replay = token === null ? replayByAddress(address) : replayRecorded(token, address)
  return { ...address, ...difference, token, replay }
}
