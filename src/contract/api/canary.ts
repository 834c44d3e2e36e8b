import type { ExitCode } from './exit-codes.ts'
import type { SinkKind } from './sink.ts'

/** How the harness hunts a layer that was broken on purpose. */
export interface Hunt {
  /** Kinds of faults, each of which alone kills it; empty if it breaks without any fault. */
  readonly killedBy: readonly string[]
  /** Kinds of faults that every kill also needs. Default: none. */
  readonly needs?: readonly string[]
  /** Ids of scenarios, in the order in which they are tried. */
  readonly scenarios: readonly string[]
  /** Default: plain. */
  readonly sink?: SinkKind
}

/** One edit of a source file, made while it is loaded. */
export interface Patch {
  /** From the root of the package: `lua/begin.lua`, `src/impl/attempt.ts`. */
  readonly file: string
  /** Must occur exactly once, or the mutant no longer fits what it mutates. */
  readonly find: string
  readonly replace: string
}

/** The reference layer with a few lines changed, as a developer might have written it. */
export interface Mutant {
  readonly id: string
  /** The developer's reasoning, in one sentence. */
  readonly about: string
  /** The line of `docs/reference/guarantees.md` that it breaks, by its first words. */
  readonly breaks?: string
  /**
   * The adapter that loads it, from the root of the package. Default:
   * `implementations/reference/reference.ts`.
   */
  readonly adapter?: string
  readonly patches: readonly Patch[]
  readonly hunt: Hunt
}

/** Names the type for editors; the loader applies the patches. */
export function defineMutant(mutant: Mutant): Mutant {
  return mutant
}

/**
 * `caught` and `lives` are the expected fates; `lives` is expected only if all faults that kill it
 * are switched off. `survived`: it should have been caught. `equivalent-kill`: it was killed
 * although all faults that its file names were switched off.
 */
export type CanaryFate = 'caught' | 'lives' | 'survived' | 'equivalent-kill' | 'failed'

/** How a canary was caught. */
export interface Catch {
  readonly scenario: string
  readonly invariant: string
  readonly kind: string
  readonly sentence: string
  /**
   * Kinds of the faults in the run of `token`: the run that caught it, or the smallest one found.
   */
  readonly faults: readonly string[]
  /** `op2_…`; null if the run is too long for a token. */
  readonly token: string | null
  /** The exact command that replays it. */
  readonly replay: string
}

/** The result for one canary. */
export interface CanaryResult {
  readonly id: string
  readonly about: string
  readonly sink: SinkKind
  readonly killedBy: readonly string[]
  readonly needs: readonly string[]
  /** Kinds of faults that were switched off while it was hunted. */
  readonly without: readonly string[]
  readonly fate: CanaryFate
  /** Runs made, over all of its scenarios. If it was caught, the last run caught it. */
  readonly runs: number
  readonly caught: Catch | null
  /** Why the harness failed; null if it did not. */
  readonly failure: string | null
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
  /** Over the canaries that were caught; null if none was. */
  readonly medianRuns: number | null
  /** Under `--per-fault`: kinds of faults without a per-fault canary. */
  readonly kindsWithoutCanary: readonly string[]
  readonly timings: { readonly totalMs: number; readonly workers: number }
}
