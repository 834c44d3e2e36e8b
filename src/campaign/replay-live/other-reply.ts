/** Which command a real Redis answered otherwise than the simulated one. */
import type { OtherReply } from '../../contract/results/live-replay.ts'
import type { LiveCommand } from '../../contract/results/schedule.ts'
import type { ExecutedCommand } from '../../sim/world.ts'
import { replyClass } from '../causes/deciding-step.ts'
import { asExecuted } from '../model/live-replies.ts'
import type { RunResult } from '../types.ts'
import type { ScheduledRun } from './run-schedule.ts'

/**
 * All that was executed for consumers: a run on real servers tells of nothing else, nor of what
 * PostgreSQL comes to when the process has ended that had sent it.
 */
export function ofConsumers({ history, executed }: Pick<RunResult, 'history' | 'executed'>): ExecutedCommand[] {
  /** By process: when it ended. */
  const ends = new Map<string, number>()
  for (const event of history.events)
    if (event.type === 'process-started') ends.set(event.process, Number.POSITIVE_INFINITY)
    else if (event.type === 'process-ended') ends.set(event.process, event.seq)
  return executed.filter(({ process, seq }) => seq <= (ends.get(process) ?? Number.NEGATIVE_INFINITY))
}

/** Answered by messages, which the simulator keeps in a form of its own. */
const subscribes = /^[PS]?(UN)?SUBSCRIBE$/

interface FirstOther extends OtherReply {
  /** The number of the command, from 0. */
  readonly at: number
}

/** Null where all were answered alike, or the commands are not the same. */
export function firstOther(
  { result, schedule }: Pick<ScheduledRun, 'result' | 'schedule'>,
  executed: readonly LiveCommand[],
): FirstOther | null {
  const expected = ofConsumers(result)
  for (const [at, one] of executed.map((command) => asExecuted(command, schedule)).entries()) {
    const simulated = expected[at]
    if (simulated === undefined || simulated.process !== one.process) return null
    const [was, is] = [replyClass(simulated.reply), replyClass(one.reply)]
    if (was !== is && !subscribes.test(one.label))
      return { at, command: simulated.label, process: one.process, simulated: was, real: is }
  }
  return null
}
