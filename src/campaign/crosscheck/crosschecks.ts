/**
 * The crosschecks of a campaign: one for each kind of store that is compared with a real server.
 */
import type { CrosscheckResult, PostgresCrosscheckResult } from '../../contract/results/results.ts'
import type { ShownRun } from '../explain/violation-result.ts'
import type { CampaignContext, PairPlan } from '../play/campaign-request.ts'
import type { PlayedPair } from '../play/pair-progress.ts'
import type { CrosscheckResults, RealPostgres, RealRedis } from '../types.ts'
import { type AskedStore, Crosscheck, type Crosschecked, type PairPlace, type TrafficPlayer } from './crosscheck.ts'
import { replaySessions } from './postgres/replay-sessions.ts'
import { replayTraffic } from './replay-traffic.ts'

export class Crosschecks {
  readonly #redis: Crosscheck<RealRedis>
  readonly #postgres: Crosscheck<RealPostgres>
  readonly #added = new Set<PairPlan>()

  constructor(
    pairs: number,
    seed: number,
    context: Pick<CampaignContext, 'deps' | 'realRedis' | 'realPostgres' | 'elapsedMs' | 'alone'> & TrafficPlayer,
  ) {
    const redis: AskedStore<RealRedis> = {
      kind: 'redis',
      offer: context.realRedis,
      replay: ({ traffic }, real) => replayTraffic(traffic ?? [], real),
    }
    const postgres: AskedStore<RealPostgres> = {
      kind: 'postgres',
      offer: context.realPostgres,
      replay: ({ sessions }, real) => replaySessions(sessions ?? [], real),
    }
    this.#redis = new Crosscheck(redis, pairs, seed, context)
    this.#postgres = new Crosscheck(postgres, pairs, seed, context)
  }

  /** Replays a sample of a pair's runs, once for each pair. */
  add(pair: PlayedPair, where: PairPlace): void {
    if (this.#added.has(pair.plan)) return
    this.#added.add(pair.plan)
    this.#redis.add(pair, where)
    this.#postgres.add(pair, where)
  }

  /** Replays all runs that findings show. */
  addShown(shown: readonly ShownRun[]): void {
    this.#redis.addShown(shown)
    this.#postgres.addShown(shown)
  }

  async results(): Promise<CrosscheckResults> {
    const [redis, postgres] = await Promise.all([this.#redis.result(), this.#postgres.result()])
    const { implementations } = this.#postgres
    if (implementations.length === 0) return { crosscheck: ofRedis(redis) }
    const postgresCrosscheck = ofPostgres(postgres, implementations)
    return this.#redis.implementations.length === 0
      ? { postgresCrosscheck }
      : { crosscheck: ofRedis(redis), postgresCrosscheck }
  }
}

function ofRedis(result: Crosschecked): CrosscheckResult {
  if (result.verdict === 'skipped') return result
  const { version, ...figures } = result
  return { redis: version, ...figures }
}

function ofPostgres(result: Crosschecked, implementations: readonly string[]): PostgresCrosscheckResult {
  if (result.verdict === 'skipped') return { ...result, implementations }
  const { version, ...figures } = result
  return { postgres: version, ...figures, implementations }
}

/** Why the harness cannot be trusted, in one sentence; null if no crosscheck disagrees. */
export function crosscheckFailure({ crosscheck, postgresCrosscheck }: CrosscheckResults): string | null {
  if (crosscheck?.verdict === 'disagrees') return sentence(`Redis ${crosscheck.redis}`, crosscheck.disagreement)
  if (postgresCrosscheck?.verdict === 'disagrees')
    return sentence(`PostgreSQL ${postgresCrosscheck.postgres}`, postgresCrosscheck.disagreement)
  return null
}

function sentence(
  server: string,
  { command, implementation, scenario, run }: Extract<Crosschecked, { verdict: 'disagrees' }>['disagreement'],
): string {
  return `the model differs from ${server} in a run of this campaign (${implementation} under ${scenario}, run ${run}): ${command}`
}
