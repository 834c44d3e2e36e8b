/** The crosscheck: a sample of a campaign's own commands, on a real Redis (docs/decisions/0005). */
import type { CrosscheckDisagreement, CrosscheckedCounterexample, CrosscheckResult } from '../../contract/results.ts'
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
import type { CrosscheckDifference } from './model.ts'
import { type RealRedis, ServerGone } from './real-redis.ts'
import { type Replayed, replayTraffic } from './replay-traffic.ts'

/** Runs that are replayed: at least one of each pair, and of few pairs no more than ten each. */
const wantedRuns = 150
const mostOfOnePair = 10
/** Of a pair, one run in this many is replayed. */
const crosscheckEvery = 25

/**
 * Beside the campaign: pairs are replayed as they end, in this thread, which has no other work where there are workers.
 */
export class Crosscheck {
  #real: Promise<RealRedis> | null = null
  #work: Promise<void> = Promise.resolve()
  #ms = 0
  #compared = 0
  #byRule = 0
  #runs = 0
  readonly #leftOut = new Map<string, number>()
  readonly #counterexamples: CrosscheckedCounterexample[] = []
  #disagreement: CrosscheckDisagreement | null = null
  readonly #runsOfEach: number

  constructor(
    pairs: number,
    private readonly seed: number,
    private readonly context: Pick<CampaignContext, 'deps' | 'realRedis' | 'elapsedMs' | 'alone'>,
  ) {
    this.#runsOfEach = Math.min(mostOfOnePair, Math.max(1, Math.floor(wantedRuns / Math.max(1, pairs))))
  }

  /** A sample of a pair's runs. */
  add({ plan: { choice }, progress: { tally, failure } }: PlayedPair): void {
    if (failure === null) this.#queue(() => this.#pass(choice, tally.runs))
  }

  /** The runs that people are shown, all of them. */
  addShown(shown: readonly ShownRun[]): void {
    for (const one of shown) this.#queue(() => this.#show(one))
  }

  #queue(work: () => Promise<void>): void {
    const { realRedis } = this.context
    if (realRedis.kind === 'none') return
    if (this.#real === null) {
      this.#real = realRedis.start()
      this.#real.catch(() => {})
    }
    this.#work = this.#work.then(work)
    // The result tells what went wrong.
    this.#work.catch(() => {})
  }

  async result(): Promise<CrosscheckResult> {
    const { realRedis, deps } = this.context
    if (realRedis.kind === 'none') return { verdict: 'skipped', reason: realRedis.reason }
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

  async #play(real: RealRedis, task: PairTask, run: number, request: WorldRequest): Promise<Replayed> {
    const startedMs = this.context.elapsedMs()
    this.context.deps.playing(addressOf(task, run))
    const played = await this.context.deps.runWorld({ ...request, traffic: true })
    const traffic = played.traffic ?? []
    let replayed = await replayTraffic(traffic, real)
    // The real server's clock runs on: a difference that does not recur was a stall of the machine.
    if (replayed.difference !== null) replayed = await replayTraffic(traffic, real)
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

  #figures(real: RealRedis): CrosscheckResult {
    const figures = {
      redis: real.version,
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

/** Why the harness cannot be trusted, in one sentence; null where the crosscheck says nothing against it. */
export function crosscheckFailure(crosscheck: CrosscheckResult): string | null {
  if (crosscheck.verdict !== 'disagrees') return null
  const { command, implementation, scenario, run } = crosscheck.disagreement
  return `the model differs from Redis ${crosscheck.redis} in a run of this campaign (${implementation} under ${scenario}, run ${run}): ${command}`
}
