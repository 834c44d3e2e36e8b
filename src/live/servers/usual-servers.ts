/**
 * The faults that an ordinary installation of Redis and PostgreSQL allows, for commands that start
 * no server.
 */
import type { Plan } from '../../contract/api/plan.ts'
import type { Shape } from '../../contract/api/store.ts'
import type { NotMadeLive } from '../../contract/results/results.ts'
import { sortFaults } from '../host/live-faults.ts'
import { postgresNotMade } from '../stores/postgres-otherwise.ts'
import type { Power } from './live-server.ts'

const clocks = {
  redis: 'redis-server does not start under libfaketime',
  postgres: 'a PostgreSQL server has the clock of its machine',
} as const

/** Why such an installation does not allow the power; null if it allows it. */
export const refusalOf = (power: Power, of: keyof typeof clocks): string | null =>
  power === 'clock' ? clocks[of] : null

/**
 * Determines, for such an installation, which parts of a plan a scheduled run could not reproduce.
 */
export const usualServers = {
  holdsSeveral: true,
  notMade(plan: Plan, shape: Shape, isHeld = false): NotMadeLive[] {
    const where = { shape, refuses: refusalOf, forgets: true, longestMs: Number.POSITIVE_INFINITY, isHeld }
    return [...sortFaults(plan, where).notMade, ...postgresNotMade(plan)]
  },
}
