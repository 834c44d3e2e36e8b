/** What a plan wants of its PostgreSQL and live servers have otherwise. */
import type { Plan, PostgresPlan } from '../../contract/api/plan.ts'
import type { NotMadeLive } from '../../contract/results/results.ts'

/**
 * As live servers are, with what can be set. A standby stays in the plan, and keeps it from being
 * made.
 */
export function deployedPostgres({ postgres }: Plan): { readonly postgres?: PostgresPlan } {
  return postgres === undefined ? {} : { postgres: { ...postgres, recoveryMs: 0 } }
}

/** Without which the run is another one. */
export function postgresNotMade({ postgres }: Plan): NotMadeLive[] {
  const { standby } = postgres ?? {}
  return standby === undefined
    ? []
    : [{ fault: `postgres.standby: ${standby}`, why: 'live runs have one PostgreSQL server, without a standby' }]
}

/** What a recorded run wants beside that. */
export function postgresOtherwise({ postgres }: Plan): NotMadeLive[] {
  const { recoveryMs = 0 } = postgres ?? {}
  return recoveryMs === 0
    ? []
    : [{ fault: `postgres.recoveryMs: ${recoveryMs}`, why: 'the recovery time of a live server cannot be set' }]
}
