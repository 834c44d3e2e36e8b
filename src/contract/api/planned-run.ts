/** One run as fast-check draws it, and the messages between `onceProperty` and its thread. */
import type { ViolationText } from '../results/results.ts'
import type { ExitCode } from './exit-codes.ts'
import type { Plan } from './plan.ts'
import type { SinkKind } from './sink.ts'

/**
 * All that a run depends on, beside the layer: its plan, and the seed of everything that is drawn
 * while it is played.
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

/** A run, and its place in the tree of smaller runs, which is in the thread. */
export interface DrawnNode {
  readonly node: number
  readonly run: PlannedRun
}

export type RunVerdict =
  | { readonly verdict: 'holds' }
  /** `way`: the invariant and the kind of its gravest violation. `text`: several lines. */
  | { readonly verdict: 'broken'; readonly way: string; readonly violation: ViolationText; readonly text: string }
  /** It breaks, and not in the way that was asked for. */
  | { readonly verdict: 'otherwise' }
  | { readonly verdict: 'unknown'; readonly reason: string }

/** What the thread is asked, and what it answers. */
export interface ThreadAnswers {
  /** A run by a seed, near its edges once in `bias` times. */
  draw: { readonly ask: { pair: NamedPair; seed: number; bias: number | undefined }; readonly answer: DrawnNode }
  /** One of the next smaller runs, by its number; null past the last. */
  shrink: { readonly ask: { node: number; at: number }; readonly answer: DrawnNode | null }
  play: { readonly ask: { pair: NamedPair; run: PlannedRun; way: string | undefined }; readonly answer: RunVerdict }
}

export type Question = {
  [Kind in keyof ThreadAnswers]: { kind: Kind } & ThreadAnswers[Kind]['ask']
}[keyof ThreadAnswers]

export type ThreadAnswer =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly culprit: string; readonly remedy: string; readonly exitCode: ExitCode }
