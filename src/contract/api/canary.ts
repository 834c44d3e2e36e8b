import type { ExitCode } from './exit-codes.ts'
import type { SinkKind } from './sink.ts'

/** How the harness hunts a layer that was broken on purpose. */
export interface Hunt {
  /**
   * Kinds of faults, each of which alone makes the layer break; empty if it breaks without any
   * fault.
   */
  readonly killedBy: readonly string[]
  /** Kinds of faults that must be present as well for the layer to break. Default: none. */
  readonly needs?: readonly string[]
  /** Ids of the scenarios to play, in this order. */
  readonly scenarios: readonly string[]
  /** Default: `plain`. */
  readonly sink?: SinkKind
}

/**
 * One edit of a source file. The loader applies it when it loads the file; the file on disk is
 * unchanged.
 */
export interface Patch {
  /** The path from the root of the package: `lua/begin.lua`, `src/impl/attempt.ts`. */
  readonly file: string
  /**
   * The text to replace. It must occur exactly once in the file; otherwise the mutant is out of
   * date.
   */
  readonly find: string
  readonly replace: string
}

/** The reference layer with a few lines changed, as a developer might have written it. */
export interface Mutant {
  readonly id: string
  /** The developer's reasoning, in one sentence. */
  readonly about: string
  /** The first words of the line of `docs/reference/guarantees.md` that the mutant breaks. */
  readonly breaks?: string
  /**
   * The adapter that loads the mutant, as a path from the root of the package. Default:
   * `implementations/reference/reference.ts`.
   */
  readonly adapter?: string
  readonly patches: readonly Patch[]
  readonly hunt: Hunt
}

/** Returns its argument. It gives editors the type; the loader applies the patches. */
export function defineMutant(mutant: Mutant): Mutant {
  return mutant
}

/**
 * The fate of a canary in a hunt. `caught` is expected; `lives` (not caught) is expected if all
 * faults that make the canary break were switched off. `survived`: not caught, although it should
 * have been. `equivalent-kill`: caught, although all faults that its file names were switched off.
 * `failed`: the harness failed.
 */
export type CanaryFate = 'caught' | 'lives' | 'survived' | 'equivalent-kill' | 'failed'

/** How a canary was caught. */
export interface Catch {
  readonly scenario: string
  readonly invariant: string
  readonly kind: string
  readonly sentence: string
  /**
   * Kinds of the faults in the run of `token`: the run that caught the canary, or the smallest such
   * run found.
   */
  readonly faults: readonly string[]
  /** The token of the run, `op2_…`; null if the run is too long for a token. */
  readonly token: string | null
  /** The exact command that replays the run. */
  readonly replay: string
}

/** The result for one canary. */
export interface CanaryResult {
  readonly id: string
  readonly about: string
  readonly sink: SinkKind
  readonly killedBy: readonly string[]
  readonly needs: readonly string[]
  /** Kinds of faults that were switched off during the hunt. */
  readonly without: readonly string[]
  readonly fate: CanaryFate
  /**
   * The number of runs made in all scenarios of the canary. If it was caught, the last run caught
   * it.
   */
  readonly runs: number
  readonly caught: Catch | null
  /** Why the harness failed; null if it did not fail. */
  readonly failure: string | null
  /** The kinds in `killedBy` and `needs`; only if the canary survived. */
  readonly injected?: readonly InjectedKind[]
}

/** How often a kind of fault was planned and struck in the runs that a canary survived. */
export interface InjectedKind {
  readonly kind: string
  /** The number of strikes in all runs. */
  readonly strikes: number
  /** Runs that planned it, and in which it never struck. */
  readonly unstruckRuns: number
  /** Of these, runs in which its trigger fired, but there was nothing to strike. */
  readonly withoutTarget: number
}

/** The JSON that `canaries --json` prints. Only `timings` depends on the machine and the time. */
export interface CanaryResults {
  readonly schemaVersion: 1
  readonly seed: number
  /** The maximum number of runs for each canary and scenario. */
  readonly runsEach: number
  /** True if the harness looked for a smaller run, with fewer faults. */
  readonly shrunk: boolean
  readonly interrupted: boolean
  readonly exitCode: ExitCode
  readonly canaries: readonly CanaryResult[]
  /** The median of `runs` over the canaries that were caught; null if none was caught. */
  readonly medianRuns: number | null
  /** Only with `--per-fault`: kinds of faults that have no per-fault canary. */
  readonly kindsWithoutCanary: readonly string[]
  readonly timings: { readonly totalMs: number; readonly workers: number }
}
