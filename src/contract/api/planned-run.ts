/** One run as fast-check draws it, and the messages between `onceProperty` and its thread. */
import type { ViolationText } from '../results/results.ts'
import type { ExitCode } from './exit-codes.ts'
import type { Plan } from './plan.ts'
import type { SinkKind } from './sink.ts'

/**
 * Everything except the layer that determines a run: its plan, and the seed of all choices that are
 * drawn during the run.
 * @example
 * ```ts
 * import { fc, onceProperty, type PlannedRun } from 'onceproof'
 *
 * const { counterexample } = await fc.check<[PlannedRun]>(
 *   onceProperty('001-get-set', 'key-reuse'),
 *   { seed: 1 },
 * )
 * console.log(counterexample?.[0].plan.messages)
 * ```
 */
export interface PlannedRun {
  readonly plan: Plan
  readonly choiceSeed: number
}

/** A layer under a scenario, as the user named them. */
export interface NamedPair {
  readonly implementation: string
  readonly scenario: string
  readonly sink?: SinkKind
}

/** A run, and the number of its node in the tree of smaller runs. The thread keeps the tree. */
export interface DrawnNode {
  readonly node: number
  readonly run: PlannedRun
}

export type RunVerdict =
  | { readonly verdict: 'holds' }
  /**
   * The run breaks an invariant. `way`: the invariant and the kind of the most severe violation.
   * `text` has several lines.
   */
  | { readonly verdict: 'broken'; readonly way: string; readonly violation: ViolationText; readonly text: string }
  /** The run breaks an invariant, but not in the requested way. */
  | { readonly verdict: 'otherwise' }
  | { readonly verdict: 'unknown'; readonly reason: string }

/** Questions to the thread, and its answers. */
export interface ThreadAnswers {
  /** Draws a run from a seed; one in `bias` draws favors edge cases. */
  draw: { readonly ask: { pair: NamedPair; seed: number; bias: number | undefined }; readonly answer: DrawnNode }
  /** The smaller run with the number `at`; null after the last. */
  shrink: { readonly ask: { node: number; at: number }; readonly answer: DrawnNode | null }
  play: { readonly ask: { pair: NamedPair; run: PlannedRun; way: string | undefined }; readonly answer: RunVerdict }
}

export type Question = {
  [Kind in keyof ThreadAnswers]: { kind: Kind } & ThreadAnswers[Kind]['ask']
}[keyof ThreadAnswers]

export type ThreadAnswer =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly culprit: string; readonly remedy: string; readonly exitCode: ExitCode }
