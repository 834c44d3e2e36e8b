/** Plans that the `same-facts` tests play on both hosts, and the kinds of faults that none has. */
import type { Plan, PlannedFault } from '../../src/contract/api/plan.ts'
import { firstAt } from './lab.ts'

export type NamedPlan = readonly [name: string, plan: Partial<Plan>]

/** A plan with one fault. `more`: the rest of the plan. */
const one = (name: string, fault: PlannedFault, more: Partial<Plan> = {}): NamedPlan => [
  name,
  { ...more, faults: [fault] },
]
const at = (kind: string, boundary: string, label: string, more: object = {}) => firstAt(kind, boundary, more, label)

/** The message is published after a fault at the time 0. */
const messages = [{ key: 'order-1', payload: { order: 1 }, publishAtMs: 200 }]
const poison = { kind: 'poison', when: { at: 'time', ms: 0 }, how: 'sink-fails', times: 1 } as unknown as PlannedFault
const heals = { healAfterMs: 100 }
/** Long enough that its effect is seen, even on a busy machine. */
const healsLate = { healAfterMs: 500 }

/**
 * For `001-get-set` on Redis. A fault that lets commands fail for a time strikes after the last
 * command, because the number of attempts until then depends on the speed of the machine.
 */
export const plans: readonly NamedPlan[] = [
  ['no fault', {}],
  one('a crash at the receipt of a delivery', firstAt('crash', 'delivery-received', { healAfterMs: 50 })),
  one('a crash before a command is sent', firstAt('crash', 'command-unsent', { healAfterMs: 50 })),
  one('a crash before the effect is sent', firstAt('crash', 'effect-unsent', { healAfterMs: 50 })),
  one('a crash after the effect', firstAt('crash', 'effect-applied', { healAfterMs: 50 })),
  one('a pause before the effect is sent', firstAt('pause', 'effect-unsent', healsLate)),
  one('a refusal by the sink', firstAt('effect-fails-before', 'effect-unapplied', { how: 'refuse' })),
  one('a sink that fails before it applies', firstAt('effect-fails-before', 'effect-unapplied', { how: 'fail' })),
  one('a sink that fails after it applied', firstAt('effect-fails-after', 'effect-applied', { how: 'fail' })),
  one('a slow effect', firstAt('slow-effect', 'effect-unapplied', { extraMs: 100 })),
  one('a poison message', poison, { messages }),
  one('a lost acknowledgement', firstAt('lost-acknowledgement', 'answered'), { visibilityMs: 2000 }),
  one('a copy for a busy consumer', firstAt('duplicate-delivery', 'effect-unsent'), { serial: true }),
  one('a late copy', firstAt('late-copy', 'effect-applied', { healAfterMs: 300 })),
  one('a broker that commits past a message', firstAt('commit-past', 'effect-unsent', heals), {
    serial: true,
    broker: { partitions: 1, batch: 1 },
  }),
  one('a broker that holds messages back', firstAt('out-of-order', 'effect-unsent', heals)),
  one('a lost reply', at('lost-reply', 'command-executed', 'GET')),
  one('a lost request', at('lost-request', 'command-unexecuted', 'GET')),
  one('a reset connection', firstAt('connection-reset', 'effect-applied')),
  one('a partition', firstAt('partition', 'effect-unsent', { node: 'redis', way: 'both', ...healsLate })),
  one('a slow link', firstAt('slow-link', 'effect-unsent', { node: 'redis', extraMs: 50, ...healsLate })),
  one('a clock that steps', firstAt('clock-step', 'effect-unsent', { machine: 0, byMs: 1000, ...healsLate })),
  one('a clock that drifts', firstAt('clock-drift', 'effect-unsent', { machine: 0, percent: 50, ...healsLate })),
  one('a clock that stands still', firstAt('clock-frozen', 'effect-unsent', { machine: 0, ...healsLate })),
  one('a restart of Redis', firstAt('redis-restart', 'effect-unsent', heals)),
  one('a Redis without its data', firstAt('redis-flushed', 'effect-unsent')),
  one('a Redis without its scripts', firstAt('scripts-flushed', 'effect-unsent')),
  one('evictions', firstAt('eviction', 'effect-unsent', heals)),
  one('a slow Redis', firstAt('slow-redis', 'effect-unsent', healsLate)),
  one('a Redis without memory', firstAt('redis-out-of-memory', 'answered', heals)),
  one('a busy Redis', firstAt('redis-busy', 'answered', heals)),
  one('a Redis without free connections', firstAt('connection-limit', 'answered', heals)),
]

/** For `record-in-the-effects-transaction` on PostgreSQL. */
export const postgresPlans: readonly NamedPlan[] = [
  ['no fault', {}],
  one('a crash at the receipt of a delivery', firstAt('crash', 'delivery-received', { healAfterMs: 50 })),
  one('a crash before the statement of the effect', firstAt('crash', 'effect-unsent', { healAfterMs: 50 })),
  one('a crash before COMMIT is sent', at('crash', 'command-unsent', 'COMMIT', { healAfterMs: 50 })),
  one('a crash after COMMIT', at('crash', 'reply-received', 'COMMIT', { healAfterMs: 50 })),
  one('a COMMIT without an answer', at('lost-reply', 'command-executed', 'COMMIT')),
  one('a lost COMMIT', at('lost-request', 'command-unexecuted', 'COMMIT')),
  one('a server that dies with the answer to COMMIT', at('postgres-restart', 'command-executed', 'COMMIT', heals)),
  one('a server that dies before COMMIT', at('postgres-restart', 'command-unexecuted', 'COMMIT', heals)),
  one('a slow server', firstAt('slow-postgres', 'effect-unsent', healsLate)),
  one('a server without free connections', firstAt('postgres-connections', 'answered', heals)),
  one('a permanently refused effect', firstAt('effect-fails-before', 'effect-unsent', { how: 'refuse' })),
  one('a failing effect', firstAt('effect-fails-before', 'effect-unsent', { how: 'fail' })),
  one('a lost INSERT', at('lost-request', 'command-unexecuted', 'INSERT records')),
]

/** Kinds of faults that one real server allows, and that no plan has, with the reason. */
export const notCompared: Readonly<Record<string, string>> = {
  redelivery: 'two consumers work at the same time, and the effects depend on which one is faster',
  'half-open': 'the layer has no command timeout, and waits for a reply until its client gives up',
}
