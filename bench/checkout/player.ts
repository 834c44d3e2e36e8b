/** The parent's side of `player-child.ts`. */
import { startChild } from '../children.ts'
import type { DrawnPlan, ScenarioName } from './checkout.ts'
import type { Spent } from './cpu-time.ts'

export interface RunName {
  readonly scenario: string
  readonly run: number
}

export interface DrawnOf {
  readonly scenario: string
  readonly drawn: DrawnPlan
}

export type Question =
  | { readonly do: 'scenarios' }
  | { readonly do: 'draw'; readonly runs: readonly RunName[] }
  | { readonly do: 'play'; readonly runs: readonly DrawnOf[] }
  /** Plays and judges these runs, then collects everything. Needs `--expose-gc`. */
  | { readonly do: 'grow'; readonly scenario: string; readonly from: number; readonly to: number }
  /** Runs of a size, without faults. */
  | {
      readonly do: 'size'
      readonly scenario: string
      readonly messages: number
      readonly consumers: number
      readonly times: number
    }

export interface SizeCosts {
  readonly runMs: number
  readonly judgeMs: number
  /** Of a run in which ten times as many messages are published and nobody consumes them. */
  readonly publishMs: number
}

export interface Answers {
  scenarios: readonly ScenarioName[]
  draw: readonly DrawnOf[]
  play: Spent
  /** Megabytes that are in use. */
  grow: number
  size: SizeCosts
}

/** A checkout in a process of its own. */
export interface Player {
  ask<Q extends Question>(question: Q): Promise<Answers[Q['do']]>
  close(): Promise<void>
}

/** Starts a child with the sources of that checkout; `flags` go to Node. */
export function startPlayer(folder: string, flags: readonly string[] = []): Player {
  const child = startChild<Question, never>('./checkout/player-child.ts', [folder], { flags, folder })
  return { ask: (question) => child.ask(question), close: () => child.close() }
}
