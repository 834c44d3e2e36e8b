/** Recorded runs for tests of `replay-live`, with a scenario that checks every invariant. */

import type { RecordedRun } from '../../../src/campaign/token/token.ts'
import type { Plan, PlannedFault } from '../../../src/contract/api/plan.ts'
import type { Scenario } from '../../../src/contract/api/scenario.ts'
import type { Shape } from '../../../src/contract/api/store.ts'
import { calm } from '../../live/lab.ts'
import { threeShards } from '../../sim/three-shards.ts'

export const scenarioOf = (shape: Shape): Scenario => ({
  id: 'replay-live-test',
  story: '',
  shape,
  assumptions: [],
  goals: [],
  invariants: ['at-most-once', 'no-false-done'],
  recoveryCapMs: 60_000,
  plans: undefined as never,
})

export const recordedRun = (implementation: string, plan: Partial<Plan>): RecordedRun => ({
  scenario: 'replay-live-test',
  implementation,
  sink: 'plain',
  seed: 1,
  run: 0,
  plan: { ...calm, consumers: 1, ...plan },
  choiceSeed: 1,
  stepCount: 0,
  trail: '',
  digest: '',
})

export const planned = (kind: string, when: object, more: object = {}): PlannedFault =>
  ({ kind, when, ...more }) as unknown as PlannedFault

/** The message is delivered twice at the same time. */
export const twice: Partial<Plan> = { faults: [planned('duplicate-delivery', { at: 'time', ms: 0 }, { message: 0 })] }

/** A Cluster whose nodes do not persist data. */
export const clustered = { ...threeShards, downAfterMs: 1200 }
