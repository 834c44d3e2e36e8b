import fc from 'fast-check'
import type { Plan } from '../src/contract/plan.ts'
import { defineScenario } from '../src/contract/scenario.ts'
import { faults } from '../src/sim/faults/index.ts'
import { beyondTheLease, drawAtFirst } from '../src/sim/plans/aim.ts'
import { drawFault, plansOf, type Workload } from '../src/sim/plans/workload.ts'

const losses = new Set(['redis-restart', 'redis-flushed', 'eviction'])

/** Where data is lost, ages are all that is left, and Redis's own clock must be right within the layer's bound. */
function withinAssumptions(plan: Plan): Plan {
  if (!plan.faults.some(({ kind }) => losses.has(kind))) return plan
  return { ...plan, faults: plan.faults.filter(({ kind, machine }) => !(kind.startsWith('clock-') && machine === -1)) }
}

const workload: Workload = {
  faults: [...faults.keys()].filter((kind) => !kind.startsWith('machine-')),
  swarm: true,
  maxFaults: 14,
  messages: 6,
  keys: 3,
}

export default defineScenario({
  id: 'everything',
  story:
    'Every kind of fault there is. Each run first draws which kinds may occur in it at all, ' +
    'so that some runs go deep into a few of them and others mix many.',
  shape: 'single',
  assumptions: [
    'one Redis server; it may lose its data, but tells so by its replication id or evicted_keys, or loses all of it',
    'every copy of a message carries the same payload',
    'where data is lost, the clock of Redis is right within the skew that the layer allows',
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
  goals: [
    'a-message-was-redelivered',
    'a-reply-was-lost-after-its-command-executed',
    'an-effect-was-in-doubt',
    'a-copy-came-after-its-record-was-lost',
    'a-holder-outlived-its-lease',
    'a-clock-went-astray-while-a-delivery-was-open',
    'redis-refused-a-command',
    'a-message-was-parked-in-doubt',
  ],
  recoveryCapMs: 60_000,
  runMs: 12,
  plans: plansOf(workload).map(withinAssumptions),
  aimed: {
    every: 2,
    draws: [
      {
        goals: [
          'redis-refused-a-command',
          'a-reply-was-lost-after-its-command-executed',
          'an-effect-was-in-doubt',
          'a-message-was-parked-in-doubt',
        ],
        plans: plansOf({
          ...workload,
          always: (scope) =>
            fc.tuple(
              drawAtFirst('error-reply', 'command-unexecuted')(scope),
              drawFault('lost-reply')(scope),
              drawAtFirst('effect-fails-after', 'effect-applied')(scope),
            ),
        }).map(withinAssumptions),
      },
      {
        goals: ['a-holder-outlived-its-lease', 'a-clock-went-astray-while-a-delivery-was-open'],
        plans: plansOf({
          ...workload,
          always: (scope) =>
            fc.tuple(
              drawAtFirst('pause', 'effect-unsent', 'effect-unapplied', 'effect-answered')(scope).map(beyondTheLease),
              fc.oneof(
                ...['clock-step', 'clock-drift', 'clock-frozen'].map((kind) =>
                  drawAtFirst(kind, 'delivery-received', 'command-executed')(scope),
                ),
              ),
            ),
        }).map(withinAssumptions),
      },
      {
        goals: ['a-copy-came-after-its-record-was-lost'],
        plans: plansOf({
          ...workload,
          always: (scope) =>
            fc.tuple(
              fc.oneof(
                ...['redis-restart', 'redis-flushed', 'eviction'].map((kind) =>
                  drawAtFirst(kind, 'effect-answered', 'answered', 'acknowledged')(scope),
                ),
              ),
              drawAtFirst('late-copy', 'acknowledged')(scope),
              drawAtFirst('late-copy', 'acknowledged')(scope),
            ),
        }).map(withinAssumptions),
      },
    ],
  },
})
