import fc from 'fast-check'
import { withoutKey } from '../src/check/own/without-key.ts'
import type { Plan } from '../src/contract/api/plan.ts'
import { defineScenario } from '../src/contract/api/scenario.ts'
import { ownName } from '../src/contract/api/verdict.ts'
import { purePlans } from '../src/sim/plans/pure-plans.ts'

const attempts = 4

/** No two messages have the same payload, so an effect identifies its message. */
const keyless = (plan: Plan): Plan => ({
  ...plan,
  maxAttempts: attempts,
  messages: plan.messages.map((message) => ({ ...message, key: '', keyless: true })),
})

const scenario = defineScenario({
  id: 'messages-without-key',
  story:
    'A producer sends messages without a key, so that two copies of a message look like two messages. ' +
    'A layer may refuse such messages, or perform them without its guarantee; it must not treat two of them as one.',
  shape: 'single',
  stores: ['redis', 'postgres', 'dynamodb'],
  keyless: true,
  // A sink that compares keys would treat two empty keys as one.
  onlySink: 'plain',
  assumptions: ['one server that keeps its data', 'no message has a key'],
  invariants: [withoutKey],
  goals: [],
  recoveryCapMs: 60_000,
  runMs: 3,
  plans: purePlans({ faults: () => fc.constant([]) }).map(keyless),
})

// Other invariants do not apply, because they group effects by key.
export default { ...scenario, invariants: [ownName(withoutKey)] }
