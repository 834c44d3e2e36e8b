/** The parent's side of `player-child.ts`: the requests that the child answers. */
import { startChild } from '../children.ts'
import { compiled, v8FlagsOf } from '../compiled.ts'
import { type DrawnPlan, loadedSources, type ScenarioName } from './checkout.ts'
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
  /** Plays and judges these runs, then collects all garbage. Needs `--expose-gc`. */
  | { readonly do: 'grow'; readonly scenario: string; readonly from: number; readonly to: number }
  /** Plays runs of the given size without faults. */
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
  /** The cost of a run that publishes ten times as many messages and consumes none. */
  readonly publishMs: number
}

export interface Answers {
  scenarios: readonly ScenarioName[]
  draw: readonly DrawnOf[]
  play: Spent
  /** Used heap in megabytes. */
  grow: number
  size: SizeCosts
}

/** A checkout in a separate process. */
export interface Player {
  ask<Q extends Question>(question: Q): Promise<Answers[Q['do']]>
  close(): Promise<void>
}

/**
 * Starts a child that loads the checkout `folder` as its users run it: compiled, or from its
 * sources. `flags`: flags of Node.
 */
export async function startPlayer(folder: string, flags: readonly string[] = []): Promise<Player> {
  const files = await compiled(folder, () => loadedSources(folder))
  const args = [folder, ...(files === null ? [] : [JSON.stringify(files)])]
  const options = { flags: [...(await v8FlagsOf(folder)), ...flags], folder, loadsSources: files === null }
  const child = await startChild<Question, never>('checkout/player-child.ts', args, options)
  return { ask: (question) => child.ask(question), close: () => child.close() }
}
