/** The gate: a sample of a campaign's own commands, on a real Redis (decision 5). */
import type { GateDisagreement, GateResult, PairResult } from '../../contract/results.ts'
import type { PairChoice, Surroundings } from '../campaign-request.ts'
import type { PairTask } from '../crew.ts'
import { chunkSize, loadPair, requestOf } from '../run-chunk.ts'
import { digestPrefix, encodeToken } from '../token.ts'
import type { RunResult, WorldRequest } from '../workbench.ts'
import { type RealRedis, ServerGone } from './real-redis.ts'
import { type GateDifference, type Replayed, replayTraffic } from './replay-traffic.ts'

/** A pair, and what came of it. */
export interface GatedPair {
  readonly choice: PairChoice
  readonly pair: PairResult
}

/** Runs that are replayed: at least one of each pair, and of few pairs no more than ten each. */
const wantedRuns = 150
const mostOfOnePair = 10

export async function runGate(
  pairs: readonly GatedPair[],
  seed: number,
  { bench, realRedis, elapsedMs }: Pick<Surroundings, 'bench' | 'realRedis' | 'elapsedMs'>,
): Promise<GateResult> {
  if (realRedis.kind === 'none') return { verdict: 'skipped', reason: realRedis.reason }
  const startedMs = elapsedMs()
  const runsOfEach = Math.min(mostOfOnePair, Math.max(1, Math.floor(wantedRuns / pairs.length)))
  let real: RealRedis | null = null
  try {
    real = await realRedis.start()
    const gate = new Gate(real, seed, bench)
    for (const one of pairs) await gate.pass(one, runsOfEach)
    if (gate.compared > 0) return gate.result(Math.round(elapsedMs() - startedMs))
    return { verdict: 'skipped', reason: bench.stopped() ? 'interrupted' : 'nothing to compare' }
  } catch (error) {
    if (!(error instanceof ServerGone)) throw error
    return { verdict: 'skipped', reason: bench.stopped() ? 'interrupted' : error.message }
  } finally {
    await real?.stop()
  }
}

class Gate {
  compared = 0
  #byRule = 0
  #runs = 0
  readonly #leftOut = new Map<string, number>()
  #disagreement: GateDisagreement | null = null

  constructor(
    private readonly real: RealRedis,
    private readonly seed: number,
    private readonly bench: Surroundings['bench'],
  ) {}

  async pass({ choice, pair: { runs, verdict } }: GatedPair, mostRuns: number): Promise<void> {
    if (verdict === 'error') return
    const { corpus: _, ...names } = choice
    const task: PairTask = { ...names, seed: this.seed, fresh: false }
    const pair = await loadPair(task, this.bench)
    for (let run = 0; run < Math.min(runs, mostRuns * chunkSize); run += chunkSize) {
      if (this.#disagreement !== null || this.bench.stopped()) return
      await this.#play(task, run, requestOf(task, pair, run))
    }
  }

  async #play(task: PairTask, run: number, request: WorldRequest): Promise<void> {
    const played = await this.bench.runWorld({ ...request, traffic: true })
    const traffic = played.traffic ?? []
    let replayed = await replayTraffic(traffic, this.real)
    // The real server's clock goes on: what does not come back was a stall of the machine.
    if (replayed.difference !== null) replayed = await replayTraffic(traffic, this.real)
    this.#add(replayed)
    if (replayed.difference !== null)
      this.#disagreement = disagreementOf(task, run, request, played, replayed.difference)
  }

  #add({ compared, byRule, leftOut }: Replayed): void {
    this.#runs++
    this.compared += compared
    this.#byRule += byRule
    for (const [why, commands] of leftOut) this.#leftOut.set(why, (this.#leftOut.get(why) ?? 0) + commands)
  }

  result(ms: number): GateResult {
    const leftOut = Object.fromEntries([...this.#leftOut].sort(([a], [b]) => (a < b ? -1 : 1)))
    const figures = {
      redis: this.real.version,
      runs: this.#runs,
      commands: this.compared,
      byRule: this.#byRule,
      leftOut,
      ms,
    }
    return this.#disagreement === null
      ? { verdict: 'agrees', ...figures }
      : { verdict: 'disagrees', ...figures, disagreement: this.#disagreement }
  }
}

function disagreementOf(
  task: PairTask,
  run: number,
  { plan, choices }: WorldRequest,
  { choiceCount, digest }: RunResult,
  difference: GateDifference,
): GateDisagreement {
  const { scenarioName: scenario, implementationName: implementation, sink, seed } = task
  const address = { scenario, implementation, sink, seed, run }
  const token = encodeToken({ ...address, plan, choiceSeed: choices.seed, choiceCount, digest: digestPrefix(digest) })
  const byAddress = `--seed ${seed} --run ${run} --impl ${implementation} --scenario ${scenario} --sink ${sink}`
  return { ...address, ...difference, token, replay: `pnpm sim replay ${token ?? byAddress}` }
}

/** Why the harness cannot be trusted, in one sentence; null where the gate says nothing against it. */
export function gateFailure(gate: GateResult): string | null {
  if (gate.verdict !== 'disagrees') return null
  const { command, implementation, scenario, run } = gate.disagreement
  return `the model differs from Redis ${gate.redis} in a run of this campaign (${implementation} under ${scenario}, run ${run}): ${command}`
}
