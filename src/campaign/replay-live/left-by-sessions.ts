/**
 * Whether PostgreSQL may be why a run went otherwise: who waits for whom there, and what a server
 * does that was struck, is its own.
 */
import type { Followed } from '../../contract/results/schedule.ts'
import { sameStep } from '../../contract/results/step.ts'
import { isOfProcess } from '../../run/steps.ts'
import type { ScheduledRun } from './run-schedule.ts'

const ofServer: ReadonlySet<string> = new Set(['postgres-restart', 'slow-postgres', 'postgres-connections'])

/**
 * Of one that left its path. A step of a process that no schedule has is the layer's own, whatever
 * was next.
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
