import type * as fc from 'fast-check'
import type { Plan } from './plan.ts'
import type { InvariantName } from './verdict.ts'

/** Which Redis a scenario runs on: one server, a primary with replicas that Sentinels watch, or a Cluster. */
export const shapes = ['single', 'sentinel', 'cluster'] as const
export type Shape = (typeof shapes)[number]

/** A story, the plans that tell it, and what must come of it. One file of `scenarios/` each. */
export interface Scenario {
  readonly id: string
  /** Two or three sentences for a person. */
  readonly story: string
  readonly shape: Shape
  /** What must be so for a pass to mean anything. */
  readonly assumptions: readonly string[]
  readonly invariants: readonly InvariantName[]
  /** Names of goals (`src/campaign/goals/`), each of which some run must reach. */
  readonly goals: readonly string[]
  /** Caps the recovery bound that a layer may declare, in milliseconds. */
  readonly recoveryCapMs: number
  /** Draws one plan. Structured, so that fast-check shrinks workload and faults. */
  readonly plans: fc.Arbitrary<Plan>
}

/** Names the type for editors; the loader checks it and names the file. */
export function defineScenario(scenario: Scenario): Scenario {
  return scenario
}
