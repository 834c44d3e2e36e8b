import fc from 'fast-check'
import type { Plan, PlannedFault } from '../../contract/api/plan.ts'
import type { Scope } from '../../run/faults/fault.ts'
import { copyAtMs } from './at-time.ts'
import { producedAtWithinSkew, redisClockOff } from './skew.ts'
import { lasting, plansOf, type Workload } from './workload.ts'

/**
 * Redis's clock is behind. Together with the offset of produced-at times, the difference is nearly
 * as large as layers must tolerate, so a message from before a loss of data seems to have been
 * produced after the loss. There is only one message, because with two messages of one key, the
 * first answer would come from the attempt that has to wait.
 */
export function clockBehind(
  workload: Workload,
  drawLoss: (scope: Scope) => fc.Arbitrary<PlannedFault>,
): fc.Arbitrary<Plan> {
  return plansOf({
    ...workload,
    keys: 1,
    messages: 1,
    spanMs: 100,
    producedAtOffMs: producedAtWithinSkew,
    always: (scope) =>
      fc
        .tuple(
          fc.integer({ min: -590, max: -450 }),
          drawLoss(scope),
          fc.array(fc.integer({ min: 100, max: 500 }), { minLength: 2, maxLength: 3 }),
        )
        .map(([byMs, loss, copiesMs]) => [
          redisClockOff(byMs),
          lasting(loss, 1),
          ...copiesMs.map((ms) => copyAtMs(ms)),
        ]),
  })
}
