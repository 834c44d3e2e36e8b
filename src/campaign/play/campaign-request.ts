import type { AcceptedRisk } from '../../contract/api/risk.ts'
import type { InvariantName } from '../../contract/api/verdict.ts'
import type { CampaignViolation, PairResult, RootCause, UnplayedSink } from '../../contract/results/results.ts'
import type { CostedScenario, PairName, PairRef } from '../token/pair-ref.ts'
import type { RecordedRun } from '../token/token.ts'
import type { CampaignDeps, CampaignOutcome, RealPostgresOffer, RealRedisOffer } from '../types.ts'
import type { Executor } from './executor.ts'

/** A pair as the user selected it. */
export interface PairChoice extends PairRef {
  /** The one invariant that is judged; without it, those of the scenario. */
  readonly only?: InvariantName
  /** Risks that the config accepts, beside those of the layer. */
  readonly accepts?: readonly AcceptedRisk[]
  /** Past failures of the pair, replayed before anything else. */
  readonly corpus: readonly RecordedRun[]
  /** What a run costs, in milliseconds: cheaper pairs are played first. */
  readonly runMs: number
}

/** How far each pair goes. */
export type Bound =
  /**
   * Until it brings nothing new: at least the minimum runs of its scenario and `leastRuns`, until a
   * row of runs as long as `quietShare` of that brought no new coverage, and every goal was
   * reached; `mostRuns` at most.
   */
  | { readonly leastRuns: number; readonly quietShare: number; readonly mostRuns: number }
  | { readonly runs: number }
  /** Milliseconds for the whole campaign; pairs take turns. */
  | { readonly timeMs: number }

/** One pair, and when it is done early. */
export interface PairPlan {
  readonly choice: PairChoice
  readonly bound: Bound
  /**
   * Stops after the first run that violates in this way: an invariant and a kind, or how they
   * begin.
   */
  readonly until?: string
}

/** Root causes, of results as an earlier campaign wrote them. */
export type Baseline = readonly Pick<RootCause, 'implementation' | 'sink' | 'name'>[]

export interface CampaignRequest {
  readonly pairs: readonly PairPlan[]
  /** A pair that must break; null for none. */
  readonly control: PairChoice | null
  /**
   * What is asked of the layers: that each holds, or that each is what it declares to be
   * (`expect`). In the latter case one that declares itself broken may break, and has to break
   * somewhere.
   */
  readonly layers: 'must-hold' | 'as-declared'
  readonly seed: number
  /** Stops at the first violation. */
  readonly bail: boolean
  /**
   * The catalogue's scenarios, the cheapest first: a counterexample is looked for in the cheapest
   * that can express it.
   */
  readonly cheaper: readonly CostedScenario[]
  readonly explain: ExplainBudget
  /** Results name them. */
  readonly unplayedSinks?: readonly UnplayedSink[]
  /** Only what it does not have makes the campaign a failure. */
  readonly baseline?: Baseline
  /**
   * Where the report will be, as the user named it: part of the command that replays a run too long
   * for a token.
   */
  readonly reports: string
}

/** What is being played, and how far it is. */
export interface Progress {
  /** `shrinking`: all runs are played, and a smaller run is searched for what broke. */
  readonly phase: 'running' | 'shrinking'
  readonly implementation: string
  readonly scenario: string
  /** Of that pair. */
  readonly runs: number
  /** Null where time is the bound. */
  readonly runsRequested: number | null
  /** Absent where pairs are played on their own. */
  readonly whole?: CampaignProgress
}

/** How far the whole campaign is. */
export interface CampaignProgress {
  readonly pairsDone: number
  readonly pairs: number
  /** Of all pairs. */
  readonly runs: number
  /** What broke so far: findings once they are told apart, ways to break until then. */
  readonly findings: number
  /**
   * By what runs cost, in any unit: of runs that were played, and of all that are expected; null
   * where that is unknown.
   */
  readonly costDone: number
  readonly costTotal: number | null
  /** When the first run began, in `elapsedMs` of the context. */
  readonly startedMs: number
}

/** A violation with the names of its pair. */
export type NamedViolation = CampaignViolation & PairName

/**
 * Everything that a campaign needs and does not decide: dependencies, an executor, a clock, and
 * listeners.
 */
export interface CampaignContext {
  readonly deps: CampaignDeps
  readonly executor: Executor
  /** Runs work in this thread one piece after the other: simulated runs must not overlap. */
  readonly alone: <T>(work: () => Promise<T>) => Promise<T>
  /** The server that the simulated Redis is compared with. */
  readonly realRedis: RealRedisOffer
  /** The server that the simulated PostgreSQL is compared with. */
  readonly realPostgres: RealPostgresOffer
  /** Milliseconds since the campaign began. */
  readonly elapsedMs: () => number
  readonly progress: (progress: Progress) => void
  /** Called at once with the first run that violates, as it was drawn. */
  readonly firstViolation: (violation: NamedViolation) => void
  /** Called with the same run, shrunk. Not part of the results. */
  readonly firstStory: (violation: NamedViolation) => void
  /** Called when a pair has played its runs, in the order in which pairs are played. */
  readonly pairDone: (pair: PairResult) => void
  /** Receives, at the start, a function that returns the findings so far. It plays no run. */
  readonly soFar: (outcome: () => CampaignOutcome) => void
  /** Keeps a run that is too long for a token, as a file of that name in the report. */
  readonly keep: (name: string, text: string) => void
}

export interface ExplainBudget {
  /**
   * Events that all searches for one layer may play together, and one of them. The nearest run that
   * holds is looked for with a quarter of `path` on top of it, which counts in `layer` too.
   */
  readonly layer: number
  readonly path: number
  /** The part of `layer` that may be spent on looks at explained runs. */
  readonly checks: number
  /** Each finding is searched, and not only one of each root cause. */
  readonly all?: boolean
}
