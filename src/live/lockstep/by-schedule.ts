/** The time, chance and links of a run that follows a schedule. */
import type { RunPorts } from '../../run/ports.ts'
import type { ConsumerProcess } from '../host/consumer-process.ts'
import type { LockStepReplayer } from './lock-step-replayer.ts'
import type { ScheduledLinks } from './scheduled-links.ts'

/** The ports by which the runner of a live run advances. */
export type Pace = Pick<RunPorts<ConsumerProcess>, 'nowUs' | 'after' | 'chance' | 'links' | 'steps'>

/**
 * The ports by which the runner follows the schedule. A timer of the runner is a step like others,
 * and fires in its turn.
 */
export function bySchedule(replayer: LockStepReplayer, links: ScheduledLinks): Pace {
  return {
    nowUs: () => replayer.nowUs,
    // A canceled timer occurs in no schedule, so its work waits forever.
    after: (_delayUs, work) => {
      void work()
      return () => {}
    },
    chance: (stream, what, n) => replayer.chance(stream, what, n),
    links,
    steps: replayer,
  }
}
