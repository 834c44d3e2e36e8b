/** Differences between the PostgreSQL of a plan and that of live servers. */
import type { Plan, PostgresPlan } from '../../contract/api/plan.ts'
import type { NotMadeLive } from '../../contract/results/results.ts'

/**
 * The plan's PostgreSQL as live servers provide it. A standby is not removed, and makes the run
 * impossible.
 */
export function deployedPostgres({ postgres }: Plan): { readonly postgres?: PostgresPlan } {
  return postgres === undefined ? {} : { postgres: { ...postgres, recoveryMs: 0 } }
}

/**
 * Requirements of the plan that live servers do not meet and without which the run would be a
 * different one.
 */
export function postgresNotMade({ postgres }: Plan): NotMadeLive[] {
  const { standby } = postgres ?? {}
  return standby === undefined
    ? []
    : [{ fault: `postgres.standby: ${standby}`, why: 'live runs have one PostgreSQL server, without a standby' }]
}

/** Other differences, which matter for a recorded run. */
export function postgresOtherwise({ postgres }: Plan): NotMadeLive[] {
  const { recoveryMs = 0 } = postgres ?? {}
  return recoveryMs === 0
    ? []
    : [{ fault: `postgres.recoveryMs: ${recoveryMs}`, why: 'the recovery time of a live server cannot be set' }]
}
