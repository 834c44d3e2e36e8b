import type { SinkKind } from './sink.ts'

/** How a layer that was broken on purpose is hunted. */
export interface Hunt {
  /** Kinds of faults, each of which reveals it; empty where it breaks without any. */
  readonly killedBy: readonly string[]
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

/** The reference layer with a few lines changed: what a developer might have written in its place. */
export interface Mutant {
  readonly id: string
  /** What that developer thought, in one sentence. */
  readonly about: string
  readonly patches: readonly Patch[]
  readonly hunt: Hunt
}

/** Names the type for editors; the loader applies the patches. */
export function defineMutant(mutant: Mutant): Mutant {
  return mutant
}
