/** A partition delays the answer of the sink, and the effect is performed again. */
import type { Plan } from '../../src/contract/api/plan.ts'
import { calm } from './lab.ts'

const plan: Plan = {
  ...calm,
  consumers: 1,
  effectMs: 1,
  effectTimeoutMs: 500,
  visibilityMs: 1000,
  maxAttempts: 50,
  messages: [{ key: 'order-1', payload: 1, publishAtMs: 0 }],
  faults: [
    {
      ...{ kind: 'partition', node: 'sink', way: 'both', healAfterMs: 3000 },
      when: { at: 'effect-applied', consumer: 0, nth: 1 },
    },
  ],
}
const pair = { implementation: '001-set-nx-delete', scenario: 'network-partition', sink: 'plain' } as const

export const recordedPartition = { ...pair, seed: 1, run: 2, plan, choiceSeed: 1, stepCount: 0, trail: '', digest: '' }
