import type { ExitCode } from '../api/exit-codes.ts'
import type { AcceptedRisk, RiskName } from '../api/risk.ts'
import type { SinkKind } from '../api/sink.ts'
import type { SourcePosition } from '../api/source-position.ts'
import type { InvariantName } from '../api/verdict.ts'
import type { LiveReplayViolation } from './live-replay.ts'
import type { ScriptNames } from './script-names.ts'

export type PairVerdict = 'pass' | 'violated' | 'unknown' | 'error'

/**
 * Why a layer broke, as far as two violations can be told apart. Violations of one layer and sink
 * with equal causes are one finding; so are those whose facts give one reason by one step or along
 * one path (`why`). Of those that were searched, this is the simplest.
 */
export interface Cause {
  readonly invariant: InvariantName
  readonly kind: string
  /**
   * Labelled commands that were executed for the key before it broke, each once, sorted: `GET`,
   * `EVALSHA acquire`.
   */
  readonly path: readonly string[]
  /**
   * The last command of the attempt that broke it, before it called the sink or answered; with the
   * reply, and with `done meanwhile` where another attempt had answered done since this one began:
   * `GET: nothing`, `SET: OK, done meanwhile`. Null where it had sent none, or where no attempt is
   * to blame.
   */
  readonly decidedBy: string | null
  /**
   * Kinds of the faults without which the run does not break by this step (`decidedBy`): each was
   * left out in turn. By another step it may still break. Sorted.
   */
  readonly needs: readonly string[]
  /**
   * It took a keyed sink that forgot the key, which applies no second effect while it remembers
   * one. It ranks behind what the layer breaks by itself.
   */
  readonly sinkForgot?: true
}

/** A change that a layer needs, or an assumption that it makes, on one kind of sink. */
export interface RootCause {
  /** `1`, `2`, …: the likeliest first, among those of one layer and sink. */
  readonly id: string
  /**
   * `crash`, `look-then-write`, …: the same for each seed, and after edits elsewhere. Unique among
   * those of one layer and sink.
   */
  readonly name: string
  readonly implementation: string
  readonly sink: SinkKind
  /** The harm, in a heading. */
  readonly title: string
  /** The change. Null if none is known. */
  readonly fix: string | null
  /** Nothing but this assumption about its surroundings explains it. */
  readonly assumes?: RiskName
  /** As its example's. */
  readonly instead?: string
  /** Kinds of the faults that its example takes, sorted. */
  readonly triggers: readonly string[]
  /** Violating runs that it explains, over all scenarios. */
  readonly runs: number
  readonly scenarios: number
  /** Ids of its findings. The first is the example. */
  readonly findings: readonly string[]
  /** On real servers. Absent: its runs were not played again. */
  readonly live?: RootCauseLive
  /** The baseline has it (`--baseline`). */
  readonly known?: true
}

/** The run of a root cause that `replay-live` makes in the least time; or why it can make none. */
export type RootCauseLive =
  | {
      /** Null for a file. */
      readonly token: string | null
      /** The command that replays it in the simulator. */
      readonly replay: string
      readonly scenario: string
      /** An estimate, in milliseconds. */
      readonly ms: number
      readonly breaks: LiveReplayViolation
    }
  | { readonly cannot: string }

/**
 * All violations of one layer, on one kind of sink, that have one cause; and the run that shows it
 * best.
 */
export interface Finding {
  /** `F1`, `F2`, …: in the order of root causes, the example of each first. */
  readonly id: string
  /** The id of its root cause. */
  readonly rootCause: string
  readonly implementation: string
  readonly sink: SinkKind
  readonly cause: Cause
  /** Kinds of the same invariant by which runs of this cause broke too, sorted. */
  readonly otherKinds?: readonly string[]
  /**
   * The risks that explain the run that is shown: without their facts it keeps the invariant. A
   * layer that accepts them (`accepts`) is not accused of it. Absent: none does.
   */
  readonly acceptable?: readonly RiskName[]
  /** The baseline has its root cause (`--baseline`). */
  readonly known?: true
  /**
   * The cause in one sentence, a clause without its end: `the lease ended while the holder stood
   * still, and nothing asked again before the effect`. From facts of the run that is shown, guessed
   * at nowhere.
   */
  readonly why: string
  /** What happened, of the run that is shown. */
  readonly sentence: string
  /** How texts call the scripts of `cause` that have no name; absent if there are none. */
  readonly scripts?: ScriptNames
  /** Violating runs that it explains, over all scenarios. */
  readonly runs: number
  /** Where it was seen, by scenario's name, and in which runs. */
  readonly seenIn: readonly { readonly scenario: string; readonly runs: readonly number[] }[]
  /**
   * False: the run is as it was drawn. One finding of each root cause is searched (`--all`: each).
   */
  readonly shrunk: boolean
  /** The run that is shown: perhaps of a cheaper scenario than any in which it was seen. */
  readonly scenario: string
  readonly key: string | null
  readonly seed: number
  readonly run: number
  readonly token: string | null
  /** The exact command that replays it. */
  readonly replay: string
  /**
   * The user's line that called the sink for the effect that is one too many, or sent the command
   * that decided it. Absent where no line of the user's is known: for programs, and for runs as
   * they were drawn.
   */
  readonly sourceLine?: SourcePosition
  /**
   * `docs/findings/instead.md#a-crash-in-between`: what to write instead. Absent for a scenario's
   * own invariants.
   */
  readonly instead?: string
  readonly story: readonly string[]
  readonly eventCount: number
  readonly faultCount: number
  /**
   * The nearest run that holds: one fault less, one choice otherwise, or one message later, in a
   * sentence. Where none was found, or nothing can hold it, `what` says so, `token` is null and
   * `replay` empty. Absent where the run is as it was drawn.
   */
  readonly neighbour?: { readonly what: string; readonly token: string | null; readonly replay: string }
}

/** A run that broke, and what broke in it. */
export interface ViolationText {
  readonly invariant: InvariantName
  readonly kind: string
  /** As a cause's. */
  readonly sinkForgot?: true
  readonly key: string | null
  readonly seed: number
  readonly run: number
  /**
   * `op2_…`, or null if no token holds the run: a file holds it, or the story says that none can.
   */
  readonly token: string | null
  /** The exact command that replays it. */
  readonly replay: string
  readonly sentence: string
  /** As a finding's. */
  readonly sourceLine?: SourcePosition
  /** As a finding's. */
  readonly instead?: string
  /** Empty if a finding has it. */
  readonly story: readonly string[]
  readonly eventCount: number
  readonly faultCount: number
}

/**
 * One way in which a pair of a campaign broke: its first run of a path, or the smaller run that was
 * found.
 */
export interface CampaignViolation extends ViolationText {
  /** False: the run is as it was drawn. */
  readonly shrunk?: boolean
  /** Of a pure scenario: the same run breaks in the same way with no fault at all. */
  readonly needsNoFault?: true
  /** The id of the finding that explains it, among those of the same layer and sink. */
  readonly finding?: string
  /**
   * Numbers of all runs of the pair that broke along this path; each replays by seed and number.
   */
  readonly runs?: readonly number[]
  readonly asPlayed?: never
  readonly why?: never
}

/** Of a run that was asked for and is shown as it was played: no smaller run was looked for. */
interface PlayedViolation extends ViolationText {
  readonly shrunk: false
  readonly asPlayed: true
  readonly needsNoFault?: never
  readonly finding?: never
  readonly runs?: never
}

export interface ReplayedViolation extends PlayedViolation {
  /** As a finding's. */
  readonly why: string
}

/** No token: the next live run of the plan is another one. */
export interface LiveViolation extends PlayedViolation {
  readonly token: null
  /** As a finding's, if the facts of the run show the cause. */
  readonly why?: string
  readonly sourceLine?: never
  readonly instead?: never
}

/** `asPlayed` tells a campaign's violations from those of replays and live runs. */
export type ViolationResult = CampaignViolation | ReplayedViolation | LiveViolation

/** A planned fault that a live run could not make, or whose effect it did not see. */
export interface NotMadeLive {
  readonly fault: string
  readonly why: string
}

/** What a pair's runs on real servers and processes rest on besides. */
export interface LiveEvidence {
  /** Which servers and which proxy. */
  readonly on: string
  readonly timeScale: number
  /** Faults that were planned and not made, by run. */
  readonly notMade: readonly (NotMadeLive & { readonly run: number })[]
  /** Faults that were made and whose effect nobody saw, by run: they do not count as struck. */
  readonly notSeen: readonly (NotMadeLive & { readonly run: number })[]
  /** How the clocks of consumers were shifted; null where none was. */
  readonly clocks: string | null
  /** What the simulator said of the same plans: `at-most-once duplicate in 5 of 5`; by run. */
  readonly simulated: readonly { readonly run: number; readonly says: string }[]
  /** Goals that so few runs are not asked for, and why, by name. */
  readonly notAsked: { readonly [goal: string]: string }
  /** Wall time, in milliseconds, by run. */
  readonly runs: readonly {
    readonly run: number
    readonly readyMs: number
    readonly tookMs: number
    /** The worst delay of a timer. */
    readonly lateMs: number
    /** How long no primary took a write; where there was a failover. */
    readonly withoutPrimaryMs?: number
  }[]
}

/** What one implementation did under one scenario, and what the verdict rests on. */
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
  /** Messages that were answered `accepted`; absent where there were none. */
  readonly accepted?: number
  readonly distinctSchedules: number
  /** By name; a scenario's own as `own:<id>`. */
  readonly invariants: {
    readonly [name: string]: {
      readonly verdict: 'valid' | 'violated' | 'unknown' | 'n/a'
      readonly runsViolated: number
      /** Why it is `n/a`; absent otherwise. */
      readonly reason?: string
    }
  }
  readonly assumptions: readonly string[]
  readonly faults: { readonly [kind: string]: number }
  readonly goals: { readonly [name: string]: number | 'n/a' }
  /** Why a goal is `n/a` for this pair, by the goal's name. */
  readonly goalReasons?: { readonly [name: string]: string }
  readonly cells: { readonly covered: number; readonly total: number }
  readonly unsupportedCommands: readonly string[]
  readonly violations: readonly ViolationResult[]
  /** Risks that are accepted, and the runs that only they explain. Absent: none is accepted. */
  readonly acceptedRisks?: readonly AcceptedRiskResult[]
  /** Where the runs were real ones. */
  readonly live?: LiveEvidence
}

/** An accepted risk, and what came of it. */
export interface AcceptedRiskResult extends AcceptedRisk {
  /** Numbers of the runs in which it explains a violation, alone or with another risk. */
  readonly runs: readonly number[]
  /** Each way in which these runs broke, by its first run. */
  readonly ways: readonly Pick<
    ViolationText,
    'invariant' | 'kind' | 'key' | 'seed' | 'run' | 'token' | 'replay' | 'sentence'
  >[]
}

/** A crash point that was not covered, and why. */
export interface OpenCell {
  readonly cell: string
  readonly reason: string
}

/** A request to the sink is a command here, too. */
export interface NeighbourCoverage {
  readonly total: number
  /** Pairs between whose commands some fault struck. */
  readonly separated: number
  /**
   * By kind of fault: the pairs (`GET → SET`) that no such fault separated. A kind that separated
   * no pair is left out.
   */
  readonly missed: { readonly [kind: string]: readonly string[] }
}

/** How the keys and commands of a layer were spread over the slots of a Cluster. */
export interface SlotsResult {
  /** Different keys that were named, over all runs, and the slots that they are in. */
  readonly keys: number
  readonly slots: number
  /** Commands that named a key and were not refused, in all and by shard. */
  readonly commands: number
  readonly byShard: readonly number[]
  /** The slot with the most keys. */
  readonly busiest: {
    readonly slot: number
    /** Counted from 1. */
    readonly shard: number
    readonly keys: number
    readonly commands: number
    /** The hash tag that all of its keys have. Absent: they have none in common. */
    readonly tag?: string
  }
}

/** What all runs of one layer reached together, over its scenarios and sinks. */
export interface LayerCoverage {
  readonly implementation: string
  /** Crash points at which a crash struck, of those that some run passed. */
  readonly cells: {
    readonly covered: number
    readonly total: number
    /** Passed, but no crash struck there. */
    readonly missed: readonly string[]
    /** Not in `total`: no run passed them. */
    readonly unreached: readonly OpenCell[]
  }
  /** Pairs of commands that followed each other in one attempt. Absent: no attempt had two. */
  readonly neighbours?: NeighbourCoverage
  /** Absent: it was played on no Cluster. */
  readonly slots?: SlotsResult
  readonly faults: { readonly struck: readonly string[]; readonly never: readonly string[] }
  /** The layer's Lua scripts that ran, and their lines that never did. */
  readonly scripts: readonly {
    readonly script: string
    readonly lines: number
    readonly executed: number
    readonly neverExecuted: readonly { readonly line: number; readonly text: string }[]
  }[]
  /**
   * Its Lua scripts that no run sent, by name or first line: those that it reads or registers, by
   * their SHA-1.
   */
  readonly neverSent: readonly string[]
}

/**
 * Whether a real Redis answered a sample of the campaign's own commands as the model did
 * (docs/how-it-works/decisions/0005-redis-crosscheck.md).
 */
export type CrosscheckResult =
  | { readonly verdict: 'skipped'; readonly reason: string }
  | ({ readonly verdict: 'agrees' } & RedisCrosscheckFigures)
  | ({ readonly verdict: 'disagrees'; readonly disagreement: CrosscheckDisagreement } & RedisCrosscheckFigures)

/** The same of a real PostgreSQL: commands are statements (docs/guide/postgresql.md). */
export type PostgresCrosscheckResult =
  | { readonly verdict: 'skipped'; readonly reason: string; readonly implementations: readonly string[] }
  | ({ readonly verdict: 'agrees' } & PostgresCrosscheckFigures)
  | ({ readonly verdict: 'disagrees'; readonly disagreement: CrosscheckDisagreement } & PostgresCrosscheckFigures)

export interface RedisCrosscheckFigures extends CrosscheckFigures {
  /** The real server's version. */
  readonly redis: string
}

export interface PostgresCrosscheckFigures extends CrosscheckFigures {
  /** The real server's version. */
  readonly postgres: string
  /** The layers that keep records in PostgreSQL. */
  readonly implementations: readonly string[]
}

export interface CrosscheckFigures {
  readonly runs: number
  /**
   * Replies that were compared, and the number of them that were compared by a rule instead of byte
   * for byte.
   */
  readonly commands: number
  readonly byRule: number
  /** Commands that were not, by reason. */
  readonly leftOut: { readonly [why: string]: number }
  /**
   * The findings whose shown run was executed by the real server too, in the order of the results.
   */
  readonly counterexamples: readonly CrosscheckedCounterexample[]
  readonly ms: number
}

/**
 * A finding's run on the real server: how many of its commands were compared, and the number of the
 * others by reason.
 */
export interface CrosscheckedCounterexample {
  readonly implementation: string
  readonly sink: SinkKind
  /** The finding's id. */
  readonly finding: string
  readonly commands: number
  readonly leftOut: { readonly [why: string]: number }
}

export interface CrosscheckDisagreement {
  readonly implementation: string
  readonly scenario: string
  readonly sink: SinkKind
  readonly seed: number
  readonly run: number
  /** Where it is the run that a finding shows. */
  readonly finding?: string
  readonly command: string
  /** Replies, as bytes. */
  readonly real: string
  readonly model: string
  readonly token: string | null
  readonly replay: string
}

/** The worst way in which a layer broke a pure scenario. */
export interface StepBreak {
  readonly invariant: InvariantName
  readonly kind: string
  /** How many runs it took, in their order, until one broke in this way. */
  readonly inRuns: number
  /**
   * The run that `replay` plays breaks in the same way with no fault at all: those of the scenario
   * are not to blame.
   */
  readonly withoutFault: boolean
  /** Plays the smallest of the runs that broke in this way, which need not be the first. */
  readonly replay: string
}

/** One layer of an ablation table, under the pure scenarios that it was run in, on a plain sink. */
export interface Step {
  /** What the step is called: `owner token`. */
  readonly step: string
  readonly implementation: string
  /** What the sender of a duplicate gets of the first result; null where that was not judged. */
  readonly duplicate: 'the result' | 'nothing' | null
  readonly cells: readonly {
    readonly scenario: string
    readonly verdict: PairVerdict
    readonly runs: number
    /** Null where it did not break. */
    readonly broke: StepBreak | null
  }[]
}

/**
 * Steps from a first try to a whole layer, each of which is to survive more than the one before.
 */
export interface AblationTable {
  /** `steps`, the number of the article whose patterns these are, or `others`. */
  readonly name: string
  readonly steps: readonly Step[]
}

/** What depends on when and where a campaign ran. */
export interface Timings {
  readonly totalMs: number
  readonly workers?: number
  /**
   * Not every machine has a Redis to compare with. Absent where all layers keep their records
   * elsewhere.
   */
  readonly crosscheck?: CrosscheckResult
  /** Absent where no layer keeps records in PostgreSQL. */
  readonly postgresCrosscheck?: PostgresCrosscheckResult
}

/** A layer on a sink that it declares: in how many of the scenarios it was not played. */
export interface UnplayedSink {
  readonly implementation: string
  readonly sink: SinkKind
  readonly scenarios: number
  /** Of how many that fit it. */
  readonly of: number
}

/**
 * `results.json`, and `--json` on standard output. Nothing outside `timings` depends on when or
 * where it ran.
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
  /** The check-then-act layer, run last: it must break, or the harness is broken. */
  readonly control: PairResult | null
  /** By layer and sink, and there the likeliest first. */
  readonly rootCauses: readonly RootCause[]
  /** What broke, in the order of their root causes. */
  readonly findings: readonly Finding[]
  /** What `--bail` or an interruption left out: no verdict. */
  readonly notRun: readonly { readonly implementation: string; readonly scenario: string; readonly sink: SinkKind }[]
  /**
   * The kinds of sinks that layers declare, and on which they were not played in every scenario
   * that fits them. Absent: there are none.
   */
  readonly unplayedSinks?: readonly UnplayedSink[]
  /**
   * Of a matrix: what each step of the articles buys under the pure scenarios, as far as they were
   * run.
   */
  readonly ladders?: readonly AblationTable[]
  /** By implementation; the control is left out. */
  readonly coverage: readonly LayerCoverage[]
  readonly timings: Timings
}
