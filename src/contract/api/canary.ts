import type { ExitCode } from './exit-codes.ts'
import type { SinkKind } from './sink.ts'

/** How a layer that was broken on purpose is hunted. */
export interface Hunt {
  /** Kinds of faults, each of which kills it; empty if it breaks without any. */
  readonly killedBy: readonly string[]
  /** Kinds without each of which none of those kills it. Default: none. */
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

/**
 * The reference layer with a few lines changed: what a developer might have written in its place.
 */
export interface Mutant {
  readonly id: string
  /** What that developer thought, in one sentence. */
  readonly about: string
  /** The line of `docs/reference/guarantees.md` that it breaks, by its first words. */
  readonly breaks?: string
  /**
   * The adapter that it is used by, from the root of the package. Default:
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
 * `caught` and `lives` are as they should be: it lives only if all faults that kill it are switched
 * off.
 * `survived`: it should have been caught. `equivalent-kill`: it was killed although all faults that
 * its file names are switched off.
 */
export type CanaryFate = 'caught' | 'lives' | 'survived' | 'equivalent-kill' | 'failed'

/** How a canary was caught. */
export interface Catch {
  readonly scenario: string
  readonly invariant: string
  readonly kind: string
  readonly sentence: string
  /**
   * Kinds of the faults in the run of `token`: of the one that caught it, or of the smallest one
   * found.
   */
  readonly faults: readonly string[]
  /** `op2_…`, or null where the run is too long for one. */
  readonly token: string | null
  /** The exact command that replays it. */
  readonly replay: string
}

/** What became of one canary. */
export interface CanaryResult {
  readonly id: string
  readonly about: string
  readonly sink: SinkKind
  readonly killedBy: readonly string[]
  readonly needs: readonly string[]
  /** Kinds of faults that were switched off while it was hunted. */
  readonly without: readonly string[]
  readonly fate: CanaryFate
  /** Runs made, over all of its scenarios; where it was caught, the last one caught it. */
  readonly runs: number
  readonly caught: Catch | null
  /** Why the harness failed; null where it did not. */
  readonly failure: string | null
}

/** What `canaries --json` prints. Nothing outside `timings` depends on when or where it ran. */
export interface CanaryResults {
  readonly schemaVersion: 1
  readonly seed: number
  /** Most runs for each canary and scenario. */
  readonly runsEach: number
  /** Whether a smaller run was looked for, with fewer faults. */
  readonly shrunk: boolean
  readonly interrupted: boolean
  readonly exitCode: ExitCode
  readonly canaries: readonly CanaryResult[]
  /** Of the canaries that were caught; null where none was. */
  readonly medianRuns: number | null
  /** Under `--per-fault`: kinds of faults without a per-fault canary. */
  readonly kindsWithoutCanary: readonly string[]
  readonly timings: { readonly totalMs: number; readonly workers: number }
}
