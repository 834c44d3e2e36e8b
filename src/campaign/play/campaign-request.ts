import type { AcceptedRisk } from '../../contract/api/risk.ts'
import type { InvariantName } from '../../contract/api/verdict.ts'
import type { CampaignViolation, Finding, PairResult, RootCause, UnplayedSink } from '../../contract/results/results.ts'
import type { CostedScenario, PairName, PairRef } from '../token/pair-ref.ts'
import type { RecordedRun } from '../token/token.ts'
import type { CampaignDeps, CampaignOutcome, RealPostgresOffer, RealRedisOffer } from '../types.ts'
import type { Executor } from './executor.ts'

/** A pair as the user selected it. */
export interface PairChoice extends PairRef {
  /** The only invariant to judge. Absent: the invariants of the scenario. */
  readonly only?: InvariantName
  /** Risks that the config accepts, in addition to those of the layer. */
  readonly accepts?: readonly AcceptedRisk[]
  /** Past failures of the pair, which are replayed first. */
  readonly corpus: readonly RecordedRun[]
  /** The cost of a run in milliseconds. Cheaper pairs are played first. */
  readonly runMs: number
}

/** When a pair stops. */
export type Bound =
  /**
   * Stops when coverage stalls. Plays at least `leastRuns` and the minimum runs of the scenario,
   * and at most `mostRuns`. In between, stops once all goals are reached and recent runs added no
   * coverage. The number of recent runs is `quietShare` times the least number of runs.
   */
  | { readonly leastRuns: number; readonly quietShare: number; readonly mostRuns: number }
  | { readonly runs: number }
  /** The milliseconds for the whole campaign, in which pairs take turns. */
  | { readonly timeMs: number }

/** One pair and its stop conditions. */
export interface PairPlan {
  readonly choice: PairChoice
  readonly bound: Bound
  /**
   * Stops after the first run with this violation, which is given as a prefix of its invariant and
   * kind.
   */
  readonly until?: string
}

/** Root causes from the results of an earlier campaign. */
export type Baseline = readonly Pick<RootCause, 'implementation' | 'sink' | 'name'>[]

export interface CampaignRequest {
  readonly pairs: readonly PairPlan[]
  /** A pair that must break; null without a control. */
  readonly control: PairChoice | null
  /**
   * `must-hold`: each layer must hold. `as-declared`: each layer must match its `expect`; a layer
   * that declares itself broken may break in any pair and must break in at least one.
   */
  readonly layers: 'must-hold' | 'as-declared'
  readonly seed: number
  /** Stops at the first violation. */
  readonly bail: boolean
  /**
   * The catalogue's scenarios, the cheapest first. The search shows each counterexample in the
   * cheapest scenario that can express it.
   */
  readonly cheaper: readonly CostedScenario[]
  readonly explain: ExplainBudget
  /** True to explore the smallest bound of each layer before its runs are drawn. */
  readonly exploresFirst?: true
  /** Sinks on which layers were not played; the results list them. */
  readonly unplayedSinks?: readonly UnplayedSink[]
  /** Only root causes that are not in the baseline fail the campaign. */
  readonly baseline?: Baseline
  /**
   * The folder of the report, as the user named it. It is part of the command that replays a run
   * that is too long for a token.
   */
  readonly reports: string
}

/** The current pair, and the progress of the campaign. */
export interface Progress {
  /**
   * `exploring`: orders of a layer are played before runs are drawn. `shrinking`: all runs are
   * played; counterexamples are being minimized.
   */
  readonly phase: 'exploring' | 'running' | 'shrinking'
  readonly implementation: string
  readonly scenario: string
  /** The number of played runs of this pair. */
  readonly runs: number
  /** The number of runs to play; null if the campaign is bounded by time. */
  readonly runsRequested: number | null
  /** The progress of the whole campaign. Absent if a pair is played on its own. */
  readonly whole?: CampaignProgress
}

/** The progress of the whole campaign. */
export interface CampaignProgress {
  readonly pairsDone: number
  readonly pairs: number
  /** The number of played runs of all pairs. */
  readonly runs: number
  /**
   * The number of ways in which layers broke so far. After violations are grouped by cause, the
   * number of findings.
   */
  readonly findings: number
  /**
   * The cost of the played runs, and the cost of all expected runs, in the same arbitrary unit.
   * `costTotal` is null if unknown.
   */
  readonly costDone: number
  readonly costTotal: number | null
  /** The time at which the first run started, as `elapsedMs` of the context. */
  readonly startedMs: number
}

/** A violation with the names of its pair. */
export type NamedViolation = CampaignViolation & PairName & Pick<Finding, 'drawnIn'>

/**
 * Everything that a campaign gets from its caller: dependencies, an executor, a clock, and
 * listeners.
 */
export interface CampaignContext {
  readonly deps: CampaignDeps
  readonly executor: Executor
  /**
   * Runs pieces of work in this thread one after the other, because simulated runs must not
   * overlap.
   */
  readonly alone: <T>(work: () => Promise<T>) => Promise<T>
  /** The reference server for the Redis crosscheck. */
  readonly realRedis: RealRedisOffer
  /** The reference server for the PostgreSQL crosscheck. */
  readonly realPostgres: RealPostgresOffer
  /** Milliseconds since the campaign began. */
  readonly elapsedMs: () => number
  readonly progress: (progress: Progress) => void
  /** Called with the first run that violates an invariant, as drawn, as soon as it is found. */
  readonly firstViolation: (violation: NamedViolation) => void
  /** Called with the same run after it was shrunk. The story is not part of the results. */
  readonly firstStory: (violation: NamedViolation) => void
  /** Called when a pair has played its runs, in the order of the pairs. */
  readonly pairDone: (pair: PairResult) => void
  /**
   * Called once at the start with a function that returns the findings so far without playing a
   * run.
   */
  readonly soFar: (outcome: () => CampaignOutcome) => void
  /** Stores a run that is too long for a token as a file `name` in the report. */
  readonly keep: (name: string, text: string) => void
}

export interface ExplainBudget {
  /**
   * The maximum numbers of events that all searches for one layer may play together, and that one
   * search may play. The search for the nearest passing run adds a quarter of `path`, which also
   * counts in `layer`.
   */
  readonly layer: number
  readonly path: number
  /** The part of `layer` that may be spent on `look` searches. */
  readonly checks: number
  /** True to search every finding. Absent: one finding of each root cause. */
  readonly all?: boolean
}
