/**
 * Decides whether a divergence may be caused by PostgreSQL, whose lock queues and crash recovery
 * the harness cannot control.
 */
import type { Followed } from '../../contract/results/schedule.ts'
import { sameStep } from '../../contract/results/step.ts'
import { isOfProcess } from '../../run/steps.ts'
import type { ScheduledRun } from './run-schedule.ts'

const ofServer: ReadonlySet<string> = new Set(['postgres-restart', 'slow-postgres', 'postgres-connections'])

/**
 * True if PostgreSQL may have caused the divergence of a run that diverged. If the run diverged at
 * a process step that does not occur in the schedule, the layer caused it, whatever step was
 * expected.
 */
export function leftBySessions(
  { schedule, result }: Pick<ScheduledRun, 'schedule' | 'result'>,
  { left }: Followed,
): boolean {
  if (left === null || !schedule.steps.some(({ store }) => store === 'postgres')) return false
  const { expected, seen } = left
  if (seen?.kind === 'otherwise' && seen.cause === 'sessions') return true
  const isOwn = seen !== null && isOfProcess(seen) && !schedule.steps.some(({ step }) => sameStep(step, seen))
  if (isOwn) return false
  if (expected.kind === 'lets-go' || (expected.kind === 'pass' && expected.boundary === 'command-executed')) return true
  const struck = result.history.events.find((event) => event.type === 'fault-struck' && ofServer.has(event.fault))
  return struck !== undefined && struck.seq <= schedule.steps[left.step - 1]!.seq
}
