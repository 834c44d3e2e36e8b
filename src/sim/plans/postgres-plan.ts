import fc from 'fast-check'
import type { Plan, PlannedFault, PostgresPlan } from '../../contract/api/plan.ts'
import type { Scope } from '../../run/faults/fault.ts'
import { postgresClock } from '../../run/faults/machine.ts'
import { atFirst } from './aim.ts'
import { drawFault } from './workload.ts'

/**
 * A server that needs up to two seconds to read its log after a crash.
 * @example
 * ```ts
 * import { fc, postgresServer } from 'onceproof'
 *
 * const server = postgresServer({ synchronousCommit: fc.boolean() })
 * ```
 */
export function postgresServer(
  some: Partial<{ [K in keyof PostgresPlan]: fc.Arbitrary<PostgresPlan[K]> }> = {},
): fc.Arbitrary<PostgresPlan> {
  return fc.record<PostgresPlan>({
    synchronousCommit: fc.constant(true),
    maxConnections: fc.constant(100),
    recoveryMs: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 2000 })),
    ...some,
  })
}

/**
 * Redirects faults of a link or a clock from Redis to PostgreSQL.
 * @example
 * ```ts
 * import { onPostgres, plansOf, postgresServer } from 'onceproof'
 *
 * const plans = plansOf({ faults: ['partition'], postgres: postgresServer() }).map(onPostgres)
 * ```
 */
export function onPostgres(plan: Plan): Plan {
  return { ...plan, faults: plan.faults.map(struckThere) }
}

function struckThere({ node, machine, ...fault }: PlannedFault): PlannedFault {
  return {
    ...fault,
    ...(node === undefined ? {} : { node: node === 'redis' ? 'postgres' : node }),
    ...(machine === undefined ? {} : { machine: machine === -1 ? postgresClock : machine }),
  } as PlannedFault
}

/**
 * The fault, at the first or second COMMIT of the run, before or after its execution.
 * @throws Error if the catalogue has no fault of that kind, when a plan is drawn
 * @example
 * ```ts
 * import { drawAtCommit, plansOf, postgresServer } from 'onceproof'
 *
 * const always = drawAtCommit('crash', 'command-unexecuted', 'command-executed')
 * const plans = plansOf({ faults: [], always, postgres: postgresServer() })
 * ```
 */
export function drawAtCommit(
  kind: string,
  ...boundaries: readonly ('command-unexecuted' | 'command-executed')[]
): (scope: Scope) => fc.Arbitrary<PlannedFault> {
  return (scope) =>
    fc
      .tuple(drawFault(kind)(scope), fc.constantFrom(...boundaries), fc.integer({ min: 1, max: 2 }))
      .map(([{ consumer: _, aim: __, ...fault }, at, nth]) => ({
        ...fault,
        when: { ...atFirst(at).when, nth, of: { label: 'COMMIT' } } as PlannedFault['when'],
      }))
}
