import type { ExitCode } from '../api/exit-codes.ts'
import type { Mechanism } from '../api/implementation.ts'
import type { AcceptedRisk, RiskName } from '../api/risk.ts'
import type { SinkKind } from '../api/sink.ts'
import type { SourcePosition } from '../api/source-position.ts'
import type { InvariantName } from '../api/verdict.ts'
import type { LiveReplayViolation } from './live-replay.ts'
import type { ScriptNames } from './script-names.ts'

/**
 * The verdict on a layer under a scenario. `unknown`: the runs are inconclusive. `error`: the layer
 * could not be played.
 * @example
 * ```ts
 * import type { PairVerdict } from 'onceproof'
 *
 * const isProof = (verdict: PairVerdict): boolean => verdict === 'pass' || verdict === 'violated'
 * ```
 */
export type PairVerdict = 'pass' | 'violated' | 'unknown' | 'error'

/**
 * Why a layer broke, in the terms that distinguish violations. Violations of one layer and sink
 * with equal causes are one finding. So are violations with the same reason (`why`) that share the
 * deciding step or the path. A finding with several causes has the simplest of them.
 * @example
 * ```ts
 * import type { Cause } from 'onceproof'
 *
 * const titleOf = ({ invariant, kind }: Cause): string => `${invariant} (${kind})`
 * ```
 */
export interface Cause {
  readonly invariant: InvariantName
  readonly kind: string
  /**
   * Labels of the commands that were executed for the key before the violation, each once, sorted:
   * `GET`, `EVALSHA acquire`.
   */
  readonly path: readonly string[]
  /**
   * The last command, with its reply, that the violating attempt sent before it called the sink or
   * answered: `GET: nothing`. If another attempt has answered done since the violating attempt
   * began, `done meanwhile` follows: `SET: OK, done meanwhile`. Null if that attempt had sent no
   * command, or if no attempt is responsible.
   */
  readonly decidedBy: string | null
  /**
   * Kinds of the faults without which the run does not break with this deciding step (`decidedBy`),
   * sorted. The search omitted each fault in turn. Without one of them the run may still break with
   * another deciding step.
   */
  readonly needs: readonly string[]
  /**
   * The violation occurs only because a keyed sink forgot the key; a keyed sink applies no second
   * effect for a key that it remembers. Such a violation ranks after all that the layer causes
   * alone.
   */
  readonly sinkForgot?: true
}

/**
 * A change that a layer needs, or an assumption that it makes, on one kind of sink.
 * @example
 * ```ts
 * import type { RootCause } from 'onceproof'
 *
 * const remedyOf = ({ title, fix }: RootCause): string => `${title}: ${fix ?? 'no known fix'}`
 * ```
 */
export interface RootCause {
  /**
   * `1`, `2`, …: unique among those of one layer. Those of one sink are numbered in sequence, the
   * most likely first.
   */
  readonly id: string
  /**
   * A stable name: `crash`, `look-then-write`, …. It does not depend on the seed or on unrelated
   * edits, and is unique for one layer and sink.
   */
  readonly name: string
  readonly implementation: string
  readonly sink: SinkKind
  /** The harm, as a heading. */
  readonly title: string
  /** The change that the layer needs. Null if none is known. */
  readonly fix: string | null
  /** The assumption about the environment that explains the root cause. Absent: none does. */
  readonly assumes?: RiskName
  /** `instead` of the finding that is the example. */
  readonly instead?: string
  /** Kinds of the faults in the run of the example, sorted. */
  readonly triggers: readonly string[]
  /** The number of violating runs that the root cause explains, over all scenarios. */
  readonly runs: number
  readonly scenarios: number
  /** Ids of the findings that have this root cause. The first is the example. */
  readonly findings: readonly string[]
  /** A run for real servers. Absent: no run of the root cause was replayed. */
  readonly live?: RootCauseLive
  /** The baseline contains the root cause (`--baseline`). */
  readonly known?: true
}

/**
 * The run of a root cause that is fastest to replay with `replay-live`, or why none can be
 * replayed.
 * @example
 * ```ts
 * import type { RootCauseLive } from 'onceproof'
 *
 * const textOf = (live: RootCauseLive): string =>
 *   'cannot' in live ? live.cannot : `${live.ms} ms`
 * ```
 */
export type RootCauseLive =
  | {
      /** The token of the run; null if the run is in a file. */
      readonly token: string | null
      /** The command that replays the run in the simulator. */
      readonly replay: string
      readonly scenario: string
      /** The estimated duration of the replay on real servers, in milliseconds. */
      readonly ms: number
      readonly breaks: LiveReplayViolation
    }
  | { readonly cannot: string }

/**
 * All violations of one layer, on one kind of sink, with the same cause, and the run that shows
 * this cause best.
 * @example
 * ```ts
 * import type { Finding } from 'onceproof'
 *
 * const lineOf = ({ id, why, replay }: Finding): string => `${id}: ${why}. ${replay}`
 * ```
 */
export interface Finding {
  /**
   * `F1`, `F2`, …: unique among those of one layer, in the order of root causes, the example of
   * each first.
   */
  readonly id: string
  /** The id of the finding's root cause. */
  readonly rootCause: string
  readonly implementation: string
  readonly sink: SinkKind
  readonly cause: Cause
  /** Other kinds of violations of the same invariant in runs with this cause, sorted. */
  readonly otherKinds?: readonly string[]
  /**
   * The risks that explain the shown run: without the facts that show these risks, the run keeps
   * the invariant. For a layer that accepts them (`accepts`), the run is not a violation. Absent:
   * no risk explains it.
   */
  readonly acceptable?: readonly RiskName[]
  /** The baseline contains the root cause of the finding (`--baseline`). */
  readonly known?: true
  /**
   * The cause as a clause: `the lease ended while the holder stood still, and no command checked it
   * again before the effect`. It is derived only from facts of the shown run.
   */
  readonly why: string
  /** The violation in the shown run. */
  readonly sentence: string
  /**
   * Names for scripts in `cause` that have no name themselves; absent if there are no such scripts.
   */
  readonly scripts?: ScriptNames
  /** The number of violating runs that the finding explains, over all scenarios. */
  readonly runs: number
  /** The scenarios in which the finding was seen, with the numbers of the runs. */
  readonly seenIn: readonly { readonly scenario: string; readonly runs: readonly number[] }[]
  /**
   * False: the shown run is as it was drawn. Only one finding of each root cause is shrunk (with
   * `--all`: every finding).
   */
  readonly shrunk: boolean
  /**
   * The scenario of the shown run. It may be a cheaper scenario than any in which the finding was
   * seen.
   */
  readonly scenario: string
  /**
   * The scenario of run number `run`, from which the shown run was shrunk. Absent if it is
   * `scenario`.
   */
  readonly drawnIn?: string
  readonly key: string | null
  readonly seed: number
  readonly run: number
  readonly token: string | null
  /** The exact command that replays the run. */
  readonly replay: string
  /**
   * The user's line that called the sink for the surplus effect, or that sent the deciding command.
   * Absent if no line of the user is known: for programs, and for runs that were not shrunk.
   */
  readonly sourceLine?: SourcePosition
  /**
   * The section that shows the code to write instead, relative to the package:
   * `docs/findings/instead.md#a-crash-in-between`. Absent for a scenario's own invariants.
   */
  readonly instead?: string
  readonly story: readonly string[]
  readonly eventCount: number
  readonly faultCount: number
  /**
   * The nearest passing run, and in `what` how it differs, in one sentence: one fault less, another
   * value of one choice, or one message later. If none was found, or none can exist, `what` states
   * that, `token` is null and `replay` is empty. Absent if the shown run is as it was drawn.
   */
  readonly neighbour?: { readonly what: string; readonly token: string | null; readonly replay: string }
}

/**
 * The violation in one run, and how to replay it.
 * @example
 * ```ts
 * import type { ViolationText } from 'onceproof'
 *
 * const storyOf = ({ story }: ViolationText): string => story.join('\n')
 * ```
 */
export interface ViolationText {
  readonly invariant: InvariantName
  readonly kind: string
  /** As `sinkForgot` of a cause. */
  readonly sinkForgot?: true
  readonly key: string | null
  readonly seed: number
  readonly run: number
  /**
   * `op2_…`, or null if the run does not fit in a token. Then a file contains the run, or the story
   * says that it cannot be stored.
   */
  readonly token: string | null
  /** The exact command that replays the run. */
  readonly replay: string
  readonly sentence: string
  /** As in a finding. */
  readonly sourceLine?: SourcePosition
  /** As in a finding. */
  readonly instead?: string
  /** The story of the run, by line; empty if a finding contains it. */
  readonly story: readonly string[]
  readonly eventCount: number
  readonly faultCount: number
}

/**
 * One way in which a layer broke under a scenario of a campaign: the first run with this path, or
 * the shrunk run.
 * @example
 * ```ts
 * import type { CampaignViolation } from 'onceproof'
 *
 * const isBlamedOnFaults = ({ needsNoFault }: CampaignViolation): boolean => needsNoFault !== true
 * ```
 */
export interface CampaignViolation extends ViolationText {
  /** False: the run is as it was drawn. */
  readonly shrunk?: boolean
  /** Only for pure scenarios: the same run breaks in the same way without any fault. */
  readonly needsNoFault?: true
  readonly madeFrom?: never
  /** The id of the finding that explains it, among those of the same layer. */
  readonly finding?: string
  /**
   * Numbers of all runs of the pair that broke along this path. Each replays by seed and number.
   */
  readonly runs?: readonly number[]
  /** The smallest order of an exploration. Its seed and its number do not address a drawn run. */
  readonly explored?: true
  readonly asPlayed?: never
  readonly why?: never
}

/**
 * A violation of a run that the user asked for. It is shown as it was played, without shrinking.
 */
interface PlayedViolation extends ViolationText {
  readonly shrunk: false
  readonly asPlayed: true
  readonly needsNoFault?: never
  readonly finding?: never
  readonly runs?: never
  readonly explored?: never
}

/**
 * A violation of a replayed run.
 * @example
 * ```ts
 * import type { ReplayedViolation } from 'onceproof'
 *
 * const whyOf = ({ sentence, why }: ReplayedViolation): string => `${sentence} (${why})`
 * ```
 */
export interface ReplayedViolation extends PlayedViolation {
  /** As `why` of a finding. */
  readonly why: string
  /**
   * `shrunk from run 0 of only-crashes, seed 1`: the drawn run from which the replayed run was
   * made. Absent if the replayed run is as it was drawn.
   */
  readonly madeFrom?: string
}

/**
 * A violation of a live run. It has no token, because the next live run of the same plan will
 * differ.
 * @example
 * ```ts
 * import type { LiveViolation } from 'onceproof'
 *
 * const textOf = ({ sentence, why }: LiveViolation): string =>
 *   why === undefined ? sentence : `${sentence} (${why})`
 * ```
 */
export interface LiveViolation extends PlayedViolation {
  readonly token: null
  readonly madeFrom?: never
  /** As in a finding, if the facts of the run show the cause. */
  readonly why?: string
  readonly sourceLine?: never
  readonly instead?: never
}

/**
 * A violation of a campaign, a replay or a live run. `asPlayed` is present only for replays and
 * live runs.
 * @example
 * ```ts
 * import type { ViolationResult } from 'onceproof'
 *
 * const isOfCampaign = ({ asPlayed }: ViolationResult): boolean => asPlayed === undefined
 * ```
 */
export type ViolationResult = CampaignViolation | ReplayedViolation | LiveViolation

/**
 * A planned fault that a live run could not make, or whose effect was not observed.
 * @example
 * ```ts
 * import type { NotMadeLive } from 'onceproof'
 *
 * const textOf = ({ fault, why }: NotMadeLive): string => `${fault} was not made: ${why}`
 * ```
 */
export interface NotMadeLive {
  readonly fault: string
  readonly why: string
}

/**
 * Additional results of a pair whose runs used real servers and processes.
 * @example
 * ```ts
 * import type { LiveEvidence } from 'onceproof'
 *
 * const slowestMs = ({ runs }: LiveEvidence): number =>
 *   Math.max(...runs.map(({ tookMs }) => tookMs))
 * ```
 */
export interface LiveEvidence {
  /** The servers and the proxy. */
  readonly on: string
  readonly timeScale: number
  /** Planned faults that were not made, by run. */
  readonly notMade: readonly (NotMadeLive & { readonly run: number })[]
  /** Faults that were made but had no observed effect, by run. They do not count as struck. */
  readonly notSeen: readonly (NotMadeLive & { readonly run: number })[]
  /** How the clocks of consumers were shifted; null if none was shifted. */
  readonly clocks: string | null
  /** The simulator's results for the same plans, by run: `at-most-once duplicate in 5 of 5`. */
  readonly simulated: readonly { readonly run: number; readonly says: string }[]
  /** Goals that are not required at this number of runs, with the reason by the goal's name. */
  readonly notAsked: { readonly [goal: string]: string }
  /** Wall time, in milliseconds, by run. */
  readonly runs: readonly {
    readonly run: number
    readonly readyMs: number
    readonly tookMs: number
    /** The worst delay of a timer, in milliseconds. */
    readonly lateMs: number
    /**
     * The longest period without a primary that accepts writes, in milliseconds, if there was a
     * failover.
     */
    readonly withoutPrimaryMs?: number
  }[]
}

/**
 * The results of one implementation under one scenario, and what the verdict is based on.
 * @example
 * ```ts
 * import type { PairResult } from 'onceproof'
 *
 * const lineOf = ({ implementation, scenario, verdict }: PairResult): string =>
 *   `${implementation} under ${scenario}: ${verdict}`
 * ```
 */
export interface PairResult {
  readonly implementation: string
  readonly scenario: string
  readonly shape: string
  /** The kinds of faults of a pure scenario; absent for others. */
  readonly onlyFaults?: readonly string[]
  readonly sink: SinkKind
  readonly verdict: PairVerdict
  readonly expect: 'holds' | 'broken'
  /** Why the verdict is not a pass, in one sentence; null for a pass. */
  readonly reason: string | null
  readonly runs: number
  readonly runsRequested: number
  readonly digest: string
  readonly messages: number
  readonly effects: number
  readonly done: number
  readonly refused: number
  readonly deadLettered: number
  /** Messages that were answered `accepted`; absent if there were none. */
  readonly accepted?: number
  readonly distinctSchedules: number
  /** The invariants by name; invariants that the scenario defines are named `own:<id>`. */
  readonly invariants: {
    readonly [name: string]: {
      readonly verdict: 'valid' | 'violated' | 'unknown' | 'n/a'
      readonly runsViolated: number
      /** Why the invariant is `n/a`; absent otherwise. */
      readonly reason?: string
    }
  }
  readonly assumptions: readonly string[]
  readonly faults: { readonly [kind: string]: number }
  readonly goals: { readonly [name: string]: number | 'n/a' }
  /** Why a goal is `n/a` for this pair, by the goal's name. */
  readonly goalReasons?: { readonly [name: string]: string }
  /** Mechanisms that the layer declares that it lacks. Absent: none. */
  readonly lacks?: readonly Mechanism[]
  readonly cells: { readonly covered: number; readonly total: number }
  readonly unsupportedCommands: readonly string[]
  readonly violations: readonly ViolationResult[]
  /** Accepted risks, with the runs that they explain. Absent: no risk is accepted. */
  readonly acceptedRisks?: readonly AcceptedRiskResult[]
  /** Only for runs on real servers. */
  readonly live?: LiveEvidence
}

/**
 * An accepted risk, and the runs that it explains.
 * @example
 * ```ts
 * import type { AcceptedRiskResult } from 'onceproof'
 *
 * const countOf = ({ what, runs }: AcceptedRiskResult): string => `${what}: ${runs.length} runs`
 * ```
 */
export interface AcceptedRiskResult extends AcceptedRisk {
  /** The numbers of the runs in which the risk explains a violation, alone or with another risk. */
  readonly runs: readonly number[]
  /** Each way in which these runs broke, with its first run. */
  readonly ways: readonly Pick<
    ViolationText,
    'invariant' | 'kind' | 'key' | 'seed' | 'run' | 'token' | 'replay' | 'sentence'
  >[]
}

/**
 * A crash point that was not covered, and the reason.
 * @example
 * ```ts
 * import type { OpenCell } from 'onceproof'
 *
 * const textOf = ({ cell, reason }: OpenCell): string => `${cell}: ${reason}`
 * ```
 */
export interface OpenCell {
  readonly cell: string
  readonly reason: string
}

/**
 * Coverage of pairs of neighboring commands. A request to the sink counts as a command.
 * @example
 * ```ts
 * import type { NeighbourCoverage } from 'onceproof'
 *
 * const shareOf = ({ separated, total }: NeighbourCoverage): number => separated / total
 * ```
 */
export interface NeighbourCoverage {
  readonly total: number
  /** Pairs with a fault that struck between the two commands. */
  readonly separated: number
  /**
   * By kind of fault: the pairs (`GET → SET`) that no such fault separated. Kinds that separated no
   * pair are omitted.
   */
  readonly missed: { readonly [kind: string]: readonly string[] }
}

/**
 * The distribution of a layer's keys and commands over the slots of a Cluster.
 * @example
 * ```ts
 * import type { SlotsResult } from 'onceproof'
 *
 * const isOneSlot = ({ slots, keys }: SlotsResult): boolean => slots === 1 && keys > 1
 * ```
 */
export interface SlotsResult {
  /** The number of distinct keys in commands of all runs, and the number of their slots. */
  readonly keys: number
  readonly slots: number
  /** The number of commands that contained a key and were not refused, in total and by shard. */
  readonly commands: number
  readonly byShard: readonly number[]
  /** The slot with the most keys. */
  readonly busiest: {
    readonly slot: number
    /** Counted from 1. */
    readonly shard: number
    readonly keys: number
    readonly commands: number
    /** The hash tag that all keys of the slot share. Absent: they do not share one. */
    readonly tag?: string
  }
}

/**
 * The exploration of one layer at the start of a campaign: every order of a few deliveries of one
 * key, in the smallest bound.
 * @example
 * ```ts
 * import type { ExploredLayer } from 'onceproof'
 *
 * const isComplete = ({ levels }: ExploredLayer): boolean =>
 *   levels.every(({ complete }) => complete)
 * ```
 */
export interface ExploredLayer {
  readonly implementation: string
  readonly sink: SinkKind
  /** The scenario whose invariants judged the runs. */
  readonly scenario: string
  readonly deliveries: number
  /** The orders without faults, then with one fault. */
  readonly levels: readonly {
    readonly faults: number
    /** The number of ways to place the faults, and how many of them were played. */
    readonly placements: number
    readonly placementsPlayed: number
    readonly orders: number
    /** True if every order of every placement was played. */
    readonly complete: boolean
  }[]
  readonly orders: number
  readonly runs: number
  /** Orders that were not played, because they begin like a played one. */
  readonly leftOut: number
  /** The smallest order that violates an invariant. Absent: no order did. */
  readonly smallest?: CampaignViolation
}

/**
 * The combined coverage of all runs of one layer, over all scenarios and sinks.
 * @example
 * ```ts
 * import type { LayerCoverage } from 'onceproof'
 *
 * const missedBy = ({ cells }: LayerCoverage): number => cells.total - cells.covered
 * ```
 */
export interface LayerCoverage {
  readonly implementation: string
  /** Crash points at which a crash struck, out of those that some run passed. */
  readonly cells: {
    readonly covered: number
    readonly total: number
    /** Crash points that some run passed, but at which no crash struck. */
    readonly missed: readonly string[]
    /** Crash points that no run passed; they are not in `total`. */
    readonly unreached: readonly OpenCell[]
  }
  /** Pairs of commands that followed each other in one attempt. Absent: no attempt had two. */
  readonly neighbours?: NeighbourCoverage
  /** Absent: the layer was not played on a Cluster. */
  readonly slots?: SlotsResult
  readonly faults: { readonly struck: readonly string[]; readonly never: readonly string[] }
  /** The Lua scripts of the layer that ran, with their lines that were never executed. */
  readonly scripts: readonly {
    readonly script: string
    readonly lines: number
    readonly executed: number
    readonly neverExecuted: readonly { readonly line: number; readonly text: string }[]
  }[]
  /**
   * Lua scripts of the layer that no run sent, by name or first line. They are known because the
   * layer read or hashed them.
   */
  readonly neverSent: readonly string[]
}

/**
 * Whether a real Redis replied to a sample of the campaign's commands as the model did
 * (docs/how-it-works/decisions/0005-redis-crosscheck.md).
 * @example
 * ```ts
 * import type { CrosscheckResult } from 'onceproof'
 *
 * const agrees = ({ verdict }: CrosscheckResult): boolean => verdict === 'agrees'
 * ```
 */
export type CrosscheckResult =
  | { readonly verdict: 'skipped'; readonly reason: string }
  | ({ readonly verdict: 'agrees' } & RedisCrosscheckFigures)
  | ({ readonly verdict: 'disagrees'; readonly disagreement: CrosscheckDisagreement } & RedisCrosscheckFigures)

/**
 * Whether a real PostgreSQL answered a sample of the campaign's statements as the model did
 * (docs/reference/postgresql.md).
 * @example
 * ```ts
 * import type { PostgresCrosscheckResult } from 'onceproof'
 *
 * const layersOf = ({ implementations }: PostgresCrosscheckResult): readonly string[] =>
 *   implementations
 * ```
 */
export type PostgresCrosscheckResult =
  | { readonly verdict: 'skipped'; readonly reason: string; readonly implementations: readonly string[] }
  | ({ readonly verdict: 'agrees' } & PostgresCrosscheckFigures)
  | ({ readonly verdict: 'disagrees'; readonly disagreement: CrosscheckDisagreement } & PostgresCrosscheckFigures)

/**
 * The figures of a comparison with a real Redis.
 * @example
 * ```ts
 * import type { RedisCrosscheckFigures } from 'onceproof'
 *
 * const textOf = ({ commands, redis }: RedisCrosscheckFigures): string =>
 *   `${commands} replies, Redis ${redis}`
 * ```
 */
export interface RedisCrosscheckFigures extends CrosscheckFigures {
  /** The version of the real server. */
  readonly redis: string
}

/**
 * The figures of a comparison with a real PostgreSQL.
 * @example
 * ```ts
 * import type { PostgresCrosscheckFigures } from 'onceproof'
 *
 * const textOf = ({ commands, postgres }: PostgresCrosscheckFigures): string =>
 *   `${commands} replies, PostgreSQL ${postgres}`
 * ```
 */
export interface PostgresCrosscheckFigures extends CrosscheckFigures {
  /** The version of the real server. */
  readonly postgres: string
  /** The layers that keep records in PostgreSQL. */
  readonly implementations: readonly string[]
}

/**
 * The figures of a comparison with a real server. `ms`: its wall time, in milliseconds.
 * @example
 * ```ts
 * import type { CrosscheckFigures } from 'onceproof'
 *
 * const byteForByte = ({ commands, byRule }: CrosscheckFigures): number => commands - byRule
 * ```
 */
export interface CrosscheckFigures {
  readonly runs: number
  /**
   * The number of compared replies, and how many of them were compared by a rule instead of byte
   * for byte.
   */
  readonly commands: number
  readonly byRule: number
  /** The number of commands that were not compared, by reason. */
  readonly leftOut: { readonly [why: string]: number }
  /**
   * The findings whose shown run was also executed on the real server, in the order of the results.
   */
  readonly counterexamples: readonly CrosscheckedCounterexample[]
  readonly ms: number
}

/**
 * The run of a finding on the real server: the number of compared commands, and by reason the
 * number of commands that were not compared.
 * @example
 * ```ts
 * import type { CrosscheckedCounterexample } from 'onceproof'
 *
 * const lineOf = ({ finding, commands }: CrosscheckedCounterexample): string =>
 *   `${finding}: ${commands} commands`
 * ```
 */
export interface CrosscheckedCounterexample {
  readonly implementation: string
  readonly sink: SinkKind
  /** The finding's id. */
  readonly finding: string
  readonly commands: number
  readonly leftOut: { readonly [why: string]: number }
}

/**
 * A command to which the real server and the model replied differently.
 * @example
 * ```ts
 * import type { CrosscheckDisagreement } from 'onceproof'
 *
 * const textOf = ({ command, real, model }: CrosscheckDisagreement): string =>
 *   `${command}: ${real}, not ${model}`
 * ```
 */
export interface CrosscheckDisagreement {
  readonly implementation: string
  readonly scenario: string
  readonly sink: SinkKind
  readonly seed: number
  readonly run: number
  /** The finding whose shown run contains the command, if there is one. */
  readonly finding?: string
  readonly command: string
  /** The replies, as bytes. */
  readonly real: string
  readonly model: string
  readonly token: string | null
  readonly replay: string
}

/**
 * The worst way in which a layer broke a pure scenario.
 * @example
 * ```ts
 * import type { StepBreak } from 'onceproof'
 *
 * const textOf = ({ kind, inRuns }: StepBreak): string => `${kind} (${inRuns})`
 * ```
 */
export interface StepBreak {
  readonly invariant: InvariantName
  readonly kind: string
  /** The number of the first run that broke in this way, counted from 1. */
  readonly inRuns: number
  /**
   * True if the run of `replay` breaks in the same way without any fault, so that the faults of the
   * scenario are not the reason.
   */
  readonly withoutFault: boolean
  /** Replays the smallest run that broke in this way, which need not be the first. */
  readonly replay: string
}

/**
 * One layer of an ablation table, with its results on a plain sink in the pure scenarios that were
 * run.
 * @example
 * ```ts
 * import type { Step } from 'onceproof'
 *
 * const held = ({ cells }: Step): number =>
 *   cells.filter(({ verdict }) => verdict === 'pass').length
 * ```
 */
export interface Step {
  /** The name of the step: `owner token`. */
  readonly step: string
  readonly implementation: string
  /**
   * What the sender of a duplicate gets: the result of the first delivery, or nothing; null if this
   * was not judged.
   */
  readonly duplicate: 'the result' | 'nothing' | null
  readonly cells: readonly {
    readonly scenario: string
    readonly verdict: PairVerdict
    readonly runs: number
    /** Null if the layer did not break. */
    readonly broke: StepBreak | null
  }[]
}

/**
 * A series of layers from a first attempt to a complete one. Each step should survive more than the
 * one before.
 * @example
 * ```ts
 * import type { AblationTable } from 'onceproof'
 *
 * const layersOf = ({ steps }: AblationTable): string[] =>
 *   steps.map(({ implementation }) => implementation)
 * ```
 */
export interface AblationTable {
  /** `steps`, `others`, or the number of the article that the patterns come from. */
  readonly name: string
  readonly steps: readonly Step[]
}

/**
 * Everything that depends on the machine and the time of a campaign.
 * @example
 * ```ts
 * import type { Timings } from 'onceproof'
 *
 * const secondsOf = ({ totalMs }: Timings): string => `${Math.round(totalMs / 1000)} s`
 * ```
 */
export interface Timings {
  readonly totalMs: number
  readonly workers?: number
  /**
   * The comparison with a real Redis. It is in `timings` because not every machine has a Redis.
   * Absent if no layer keeps its records in Redis.
   */
  readonly crosscheck?: CrosscheckResult
  /** The comparison with a real PostgreSQL. Absent if no layer keeps its records in PostgreSQL. */
  readonly postgresCrosscheck?: PostgresCrosscheckResult
}

/**
 * A kind of sink that a layer declares, and the number of scenarios in which the layer was not
 * played on it.
 * @example
 * ```ts
 * import type { UnplayedSink } from 'onceproof'
 *
 * const textOf = ({ sink, scenarios, of }: UnplayedSink): string =>
 *   `${sink}: ${scenarios} of ${of} scenarios`
 * ```
 */
export interface UnplayedSink {
  readonly implementation: string
  readonly sink: SinkKind
  readonly scenarios: number
  /** The number of all scenarios that apply to the layer on this sink. */
  readonly of: number
}

/**
 * The content of `results.json`, and of `--json` on standard output. Only `timings` depends on the
 * machine and the time.
 * @example
 * ```ts
 * import { type Results, simulate } from 'onceproof'
 *
 * const results: Results = await simulate({
 *   implementation: 'reference',
 *   scenarios: ['lost-reply'],
 *   runs: 5,
 * })
 * console.log(results.pairs.map(({ scenario, verdict }) => `${scenario}: ${verdict}`))
 * ```
 */
export interface Results {
  readonly schemaVersion: 1
  readonly tool: string
  readonly node: string
  readonly seed: number
  readonly bounded: 'runs' | 'time'
  readonly interrupted: boolean
  readonly exitCode: ExitCode
  readonly pairs: readonly PairResult[]
  /** The check-then-act layer, which is run last. If it does not break, the harness is faulty. */
  readonly control: PairResult | null
  /** The root causes by layer and sink, for each the most likely first. */
  readonly rootCauses: readonly RootCause[]
  /** The findings in the order of their root causes. */
  readonly findings: readonly Finding[]
  /** Pairs without a verdict because of `--bail` or an interruption. */
  readonly notRun: readonly { readonly implementation: string; readonly scenario: string; readonly sink: SinkKind }[]
  /**
   * Kinds of sinks that layers declare, but on which they were not played in every scenario that
   * applies. Absent: there are none.
   */
  readonly unplayedSinks?: readonly UnplayedSink[]
  /**
   * Only for a matrix: the ablation tables of the articles, as far as the pure scenarios were run.
   */
  readonly ladders?: readonly AblationTable[]
  /** Coverage by implementation, without the control. */
  readonly coverage: readonly LayerCoverage[]
  /** The orders that were explored before runs were drawn. Absent: no layer was explored. */
  readonly explored?: readonly ExploredLayer[]
  readonly timings: Timings
}
