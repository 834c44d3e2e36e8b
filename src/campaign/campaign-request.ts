import type { PairResult } from '../contract/results.ts'
import type { SinkKind } from '../contract/sink.ts'
import type { InvariantName } from '../contract/verdict.ts'
import type { Crew } from './crew.ts'
import type { RealRedisOffer } from './gate/real-redis.ts'
import type { RecordedRun } from './token.ts'
import type { Workbench } from './workbench.ts'

/** One layer under one scenario, as found by name: paths to load by, names to speak of. */
export interface PairChoice {
  readonly scenarioPath: string
  readonly scenarioName: string
  readonly implementationPath: string
  readonly implementationName: string
  readonly sink: SinkKind
  /** The one invariant that is judged; without it, those of the scenario. */
  readonly only?: InvariantName
  /** Past failures of the pair, replayed before anything else. */
  readonly corpus: readonly RecordedRun[]
}

export interface CampaignRequest {
  readonly pairs: readonly PairChoice[]
  /** A pair that must break, run last; null for none. */
  readonly control: PairChoice | null
  readonly seed: number
  /** Runs for each pair, or milliseconds for the whole campaign, shared evenly. */
  readonly bound: { readonly runs: number } | { readonly timeMs: number }
  /** Stops at the first violation. */
  readonly bail: boolean
  /** How many runs the search for a smaller counterexample may cost. */
  readonly shrinkBudget: number
  /** Where the report will be, as the user named it: part of the command that replays a run too long for a token. */
  readonly reports: string
}

/** What is worked on, and how far that is. */
export interface Progress {
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
  /** By what runs cost, in any unit: of runs that were made, and of all that are expected; null where nobody knows. */
  readonly costDone: number
  readonly costTotal: number | null
  /** When the first run began, by the surroundings' clock. */
  readonly startedMs: number
}

/** What the world outside gives a campaign. */
export interface Surroundings {
  readonly bench: Workbench
  readonly crew: Crew
  /** What the model is compared with. */
  readonly realRedis: RealRedisOffer
  /** Milliseconds since the campaign began. */
  readonly elapsedMs: () => number
  readonly progress: (progress: Progress) => void
  /** A pair is judged; the control comes last. */
  readonly pairDone: (pair: PairResult) => void
  /** Keeps a run that is too long for a token, as a file of that name in the report. */
  readonly keep: (name: string, text: string) => void
}
