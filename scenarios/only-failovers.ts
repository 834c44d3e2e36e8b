import fc from 'fast-check'
import type { PlannedFault } from '../src/contract/api/plan.ts'
import { defineScenario } from '../src/contract/api/scenario.ts'
import { atNew } from '../src/sim/plans/aim.ts'
import { purePlans } from '../src/sim/plans/pure-plans.ts'
import { sentinelRedis } from '../src/sim/plans/redis-plan.ts'

/** Longer than Sentinels wait before they replace a primary. */
const healAfterMs = 15_000

/** When the primary dies: at a fixed time, or when it has executed the nth kind of command. */
const death = fc.oneof(
  fc.integer({ min: 150, max: 700 }).map((ms) => ({ when: { at: 'time' as const, ms } })),
  fc.integer({ min: 1, max: 5 }).map((nth) => atNew('command-executed', nth)),
)

/** When the replicas stop receiving writes; null if they are up to date when the primary dies. */
const behindFromMs = fc.option(fc.nat({ max: 400 }), { nil: null, freq: 3 })

export default defineScenario({
  id: 'only-failovers',
  story:
    'The primary dies, and Sentinels promote a replica, which may lack the last writes. Every key arrives a second time after the failover. ' +
    'Nothing else happens. A lost record looks like one that never existed.',
  shape: 'sentinel',
  onlyFaults: ['redis-restart', 'machine-cut-off'],
  assumptions: [
    'every replica that can be promoted is known',
    'all copies of a message carry the same payload',
    'no process and no clock fails, and the sink answers',
  ],
  goals: ['a-server-was-promoted', 'an-acknowledged-write-was-lost-by-failover'],
  recoveryCapMs: 60_000,
  runMs: 36,
  // `000-decorator` takes up to 11 runs.
  minimumRuns: 20,
  plans: purePlans({
    redis: sentinelRedis(),
    againAfterMs: fc.integer({ min: 20_000, max: 30_000 }),
    faults: () => fc.tuple(death, behindFromMs).map(([dies, fromMs]) => [...behind(fromMs), primary(dies)]),
  }),
})

function primary(dies: Pick<PlannedFault, 'when'>): PlannedFault {
  return { kind: 'redis-restart', healAfterMs, ...dies }
}

function behind(fromMs: number | null): PlannedFault[] {
  if (fromMs === null) return []
  const whose = { who: 'primary', which: 0, from: 'servers', withReplica: false }
  return [{ kind: 'machine-cut-off', ...whose, when: { at: 'time', ms: fromMs }, healAfterMs }]
}
