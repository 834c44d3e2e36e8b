/** Finds the first command to which real servers replied differently than the simulated servers. */
import type { OtherReply } from '../../contract/results/live-replay.ts'
import type { LiveCommand } from '../../contract/results/schedule.ts'
import type { ExecutedCommand } from '../../sim/world.ts'
import { replyClass } from '../causes/deciding-step.ts'
import { asExecuted } from '../model/live-replies.ts'
import type { RunResult } from '../types.ts'
import type { ScheduledRun } from './run-schedule.ts'

/**
 * All commands that were executed for consumers. A run on real servers does not record other
 * commands, nor the results of PostgreSQL statements after the end of the process that sent them.
 */
export function ofConsumers({ history, executed }: Pick<RunResult, 'history' | 'executed'>): ExecutedCommand[] {
  /** The sequence number of each process's end. */
  const ends = new Map<string, number>()
  for (const event of history.events)
    if (event.type === 'process-started') ends.set(event.process, Number.POSITIVE_INFINITY)
    else if (event.type === 'process-ended') ends.set(event.process, event.seq)
  return executed.filter(({ process, seq }) => seq <= (ends.get(process) ?? Number.NEGATIVE_INFINITY))
}

/** Commands that are answered by push messages, which the simulator represents differently. */
const subscribes = /^[PS]?(UN)?SUBSCRIBE$/

interface FirstOther extends OtherReply {
  /** The index of the command, from 0. */
  readonly at: number
}

/**
 * The first command with another reply; null if all replies are equal, or if the commands differ
 * first.
 */
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
