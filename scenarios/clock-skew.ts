import fc from 'fast-check'
import { defineScenario } from '../src/contract/scenario.ts'
import { drawFault, plansOf } from '../src/sim/plans/workload.ts'

export default defineScenario({
  id: 'clock-skew',
  story:
    'The clocks of consumers and of Redis disagree: they are off, run fast or slow, jump forwards and backwards as NTP makes them, or stand still. ' +
    "Whoever compares a time of its own with a time of somebody else's is wrong about who holds the key.",
  shape: 'single',
  assumptions: [
    'one Redis server that keeps its data',
    'every copy of a message carries the same payload',
    'the clock of Redis jumps by an hour at most',
  ],
  invariants: [
    'at-most-once',
    'no-lost-message',
    'no-needless-park',
    'no-false-done',
    'same-result',
    'payload-bound',
    'bounded-stall',
    'no-immortal-keys',
  ],
  goals: ['a-clock-went-astray-while-a-delivery-was-open', 'a-message-was-redelivered'],
  recoveryCapMs: 60_000,
  runMs: 9.3,
  plans: plansOf({
    always: (scope) => fc.oneof(...['clock-step', 'clock-drift', 'clock-frozen'].map((kind) => drawFault(kind)(scope))),
    faults: ['clock-step', 'clock-drift', 'clock-frozen', 'pause', 'crash', 'redelivery', 'duplicate-delivery'],
    keys: 2,
  }),
})
