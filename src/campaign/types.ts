/**
 * Dependencies that a campaign gets from its caller: the simulator, the judge, the goals, the story
 * writer and two loaders. Tests pass small fakes. The command line passes the real dependencies;
 * each worker creates its own.
 */

import type { ScriptLines } from 'redis-sim'
import type { RealSessions } from 'test-servers'
import type { Judgement } from '../check/index.ts'
import type { ExitCode } from '../contract/api/exit-codes.ts'
import type { History } from '../contract/api/history.ts'
import type { Implementation } from '../contract/api/implementation.ts'
import type { Plan } from '../contract/api/plan.ts'
import type { Scenario } from '../contract/api/scenario.ts'
import type { SinkKind } from '../contract/api/sink.ts'
import type { Shape } from '../contract/api/store.ts'
import type { InvariantName, OwnInvariant, Violation } from '../contract/api/verdict.ts'
import type { Finding, LayerCoverage, NotMadeLive, PairResult, Results, Timings } from '../contract/results/results.ts'
import type { TracedRun } from '../contract/results/run-trace.ts'
import type { Picture, Timeline } from '../contract/results/timeline.ts'
import type { LoadedImplementation } from '../sim/adapters/load-implementation.ts'
import type { RunJourneys, RunResult, WorldRequest } from '../sim/world.ts'
import type { RunAddress } from './token/run-address.ts'

export type { RunJourneys, RunResult, WorldRequest }

/** Determines which runs real servers can replay by a recorded schedule. */
export interface RealServers {
  /**
   * The faults that cannot be made on a deployment of the shape. `isHeld`: true if the run is
   * replayed by a schedule.
   */
  notMade(plan: Plan, shape: Shape, isHeld?: boolean): readonly NotMadeLive[]
  /** True if a deployment of several servers can be replayed by a schedule. */
  readonly holdsSeveral: boolean
}

export interface CampaignDeps {
  readonly runWorld: (request: WorldRequest) => Promise<RunResult>
  /** Called before each run, so that a run that never ends can be named. */
  readonly playing: (address: RunAddress) => void
  /**
   * Judges the named invariants and returns the verdicts in the same order. `own`: the scenario's
   * own invariants.
   */
  readonly judge: (
    history: History,
    names: readonly InvariantName[],
    own: readonly OwnInvariant[] | undefined,
  ) => readonly Judgement[]
  readonly reached: (goal: string, history: History) => boolean
  /** Why no run of the layer on the sink can be expected to reach the goal; null if a run can. */
  readonly notApplicable: (goal: string, implementation: Implementation, sink: SinkKind) => string | null
  /** The lines of scripts that simulated servers executed in this thread since the last call. */
  readonly takeScriptLines: () => readonly ScriptLines[]
  /** Scripts that layers have loaded in this thread since the last call, sent or not. */
  readonly takeKnownScripts: () => readonly string[]
  /** Describes a violation in sentences. `decidedBy` names the deciding step; null if unknown. */
  readonly report: (history: History, violation: Violation, decidedBy: string | null, why?: string) => readonly string[]
  /** The picture of a traced run that breaks; `story` is the result of `report`. */
  readonly draw: (run: TracedRun, violation: Violation, story: readonly string[]) => Timeline
  /** The picture of a traced run that holds, with the lanes of the same key. */
  readonly drawPassing: (run: TracedRun, key: string | null) => Timeline
  /** Loads a scenario. Rejects with a LoadError. */
  readonly loadScenario: (path: string) => Promise<Scenario>
  /** Loads an implementation. Rejects with a LoadError. */
  readonly loadImplementation: (path: string) => Promise<LoadedImplementation>
  /** Absent: runs are not checked for replay on real servers. */
  readonly servers?: RealServers
  /** True if the user asked to stop. The current run is still played to its end. */
  readonly stopped: () => boolean
}

export interface RealRedis {
  readonly version: string
  open(): Promise<RealClient>
  stop(): Promise<void>
}

export interface RealClient {
  /** Sends bytes, then reads `replies` whole replies. Strings are byte strings (latin1). */
  exchange(bytes: string, replies: number): Promise<string>
  /** The real time in milliseconds, by a monotonic clock. */
  nowMs(): number
  destroy(): void
}

/** A server that is started on demand, or the reason for having none. */
export type RealRedisOffer =
  | { readonly kind: 'ready'; start(): Promise<RealRedis> }
  | { readonly kind: 'none'; readonly reason: string }

export interface RealPostgres {
  readonly version: string
  /**
   * Opens sessions with the login.
   * @throws ServerGone
   */
  open(login: { readonly user: string; readonly database: string }): Promise<RealSessions>
  stop(): Promise<void>
}

/** A server that is started on demand, or the reason for having none. */
export type RealPostgresOffer =
  | { readonly kind: 'ready'; start(): Promise<RealPostgres> }
  | { readonly kind: 'none'; readonly reason: string }

/** The results of both crosschecks, as in `timings` of the results. */
export type CrosscheckResults = Pick<Timings, 'crosscheck' | 'postgresCrosscheck'>

/** The results of a campaign. */
export interface CampaignOutcome {
  readonly bounded: Results['bounded']
  readonly interrupted: boolean
  readonly exitCode: ExitCode
  /** Sorted by implementation, then scenario, then sink. */
  readonly pairs: readonly PairResult[]
  readonly rootCauses: Results['rootCauses']
  readonly findings: readonly Finding[]
  /** The pictures in the order of the findings. A finding that was not replayed has no picture. */
  readonly pictures: readonly Picture[]
  readonly notRun: Results['notRun']
  readonly control: PairResult | null
  readonly coverage: readonly LayerCoverage[]
  readonly explored?: NonNullable<Results['explored']>
  /** Why the results cannot be trusted, in one sentence; null if they can. */
  readonly harnessFailure: string | null
  readonly crosschecks: CrosscheckResults
}
