import fc from 'fast-check'
import type { Boundary, Plan, PlannedFault } from '../src/contract/api/plan.ts'
import { defineScenario } from '../src/contract/api/scenario.ts'
import type { Scope } from '../src/run/faults/fault.ts'
import { faults } from '../src/run/faults/index.ts'
import { beyondTheLease, drawAtFirst } from '../src/sim/plans/aim.ts'
import { drawFault, plansOf, type Workload } from '../src/sim/plans/workload.ts'

const losses = ['redis-restart', 'redis-flushed', 'eviction']

/**
 * After a loss of data, a layer can only check the ages of messages, so Redis's clock must be right
 * within the layer's bound. The same applies if a sink that forgets keys uses the same clock as the
 * layer.
 */
function withinAssumptions({ sinkRemembersMs, ...plan }: Plan): Plan {
  const isRedisClock = ({ kind, machine }: PlannedFault) => kind.startsWith('clock-') && machine === -1
  if (!plan.faults.some(({ kind }) => losses.includes(kind)))
    return plan.faults.some(isRedisClock) || sinkRemembersMs === undefined ? plan : { ...plan, sinkRemembersMs }
  const faults = plan.faults.filter((fault) => !isRedisClock(fault))
  return sinkRemembersMs === undefined ? { ...plan, faults } : { ...plan, sinkRemembersMs, faults }
}

/**
 * Kinds that need machines or another store, and `half-open`, which would hide all other kinds in
 * layers without a timeout (see `half-open-connections`).
 */
const isElsewhere = (kind: string) =>
  kind.startsWith('machine-') || kind === 'half-open' || faults.get(kind)!.store !== undefined

const workload: Workload = {
  faults: [...faults.keys()].filter((kind) => !isElsewhere(kind)),
  swarm: true,
  maxFaults: 14,
  messages: 6,
  keys: 3,
}

/** Plans of the whole workload, with the faults `always` in addition. */
const besides = (always: NonNullable<Workload['always']>) => plansOf({ ...workload, always }).map(withinAssumptions)

const anyOf = (scope: Scope, kinds: readonly string[], ...boundaries: readonly Boundary[]) =>
  fc.oneof(...kinds.map((kind) => drawAtFirst(kind, ...boundaries)(scope)))

const clocks = ['clock-step', 'clock-drift', 'clock-frozen']
/** Kinds of faults that few runs draw. */
const ofServer = ['redis-busy', 'slow-redis', 'redis-loading', 'connection-limit']
/** The kinds of `ofServer`, and a failure to resolve the server's name. */
const troubles = [...ofServer, 'dns-failure']
/** Injects the fault at the run's first delivery. */
const early = (scope: Scope) => anyOf(scope, ofServer, 'delivery-received')

const unanswered = besides((scope) =>
  fc.tuple(
    early(scope),
    drawAtFirst('error-reply', 'command-unexecuted')(scope),
    drawFault('lost-reply')(scope),
    drawAtFirst('effect-fails-after', 'effect-applied')(scope),
  ),
)

const overtime = besides((scope) =>
  fc.tuple(
    early(scope),
    drawAtFirst('pause', 'effect-unsent', 'effect-unapplied', 'effect-answered')(scope).map(beyondTheLease),
    anyOf(scope, clocks, 'delivery-received', 'command-executed'),
    anyOf(scope, troubles, 'delivery-received', 'effect-unsent', 'effect-applied'),
  ),
)

const forgotten = besides((scope) =>
  fc.tuple(
    early(scope),
    anyOf(scope, losses, 'effect-answered', 'answered', 'acknowledged'),
    drawAtFirst('late-copy', 'acknowledged')(scope),
    drawAtFirst('late-copy', 'acknowledged')(scope),
  ),
)

export default defineScenario({
  id: 'everything',
  story:
    'Every kind of fault. Each run first draws the kinds that may occur in it, ' +
    'so that some runs repeat a few kinds and others mix many.',
  shape: 'single',
  assumptions: [
    'one Redis server; unless it loses all data, every loss changes its replication id or its evicted_keys',
    'all copies of a message carry the same payload',
    'if data is lost, the clock of Redis is right within the allowed skew of the layer',
  ],
  goals: [
    'a-message-was-redelivered',
    'a-reply-was-lost-after-its-command-executed',
    'an-effect-was-in-doubt',
    'a-copy-came-after-its-record-was-lost',
    'a-holder-outlived-its-lease',
    'a-clock-went-astray-while-a-delivery-was-open',
    'redis-refused-a-command',
    'a-message-was-dead-lettered-in-doubt',
  ],
  recoveryCapMs: 60_000,
  runMs: 9.5,
  // `canary-only-redis-busy` takes up to 82 runs.
  minimumRuns: 110,
  plans: plansOf(workload).map(withinAssumptions),
  aimed: {
    every: 2,
    draws: [
      {
        goals: [
          'redis-refused-a-command',
          'a-reply-was-lost-after-its-command-executed',
          'an-effect-was-in-doubt',
          'a-message-was-dead-lettered-in-doubt',
        ],
        plans: unanswered,
      },
      { goals: ['a-holder-outlived-its-lease', 'a-clock-went-astray-while-a-delivery-was-open'], plans: overtime },
      { goals: ['a-copy-came-after-its-record-was-lost'], plans: forgotten },
    ],
  },
})
