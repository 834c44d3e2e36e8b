/** A child that opens one contender once, then measures it for each requested number of runs. */
import { cpuMsOf, type Spent } from './checkout/cpu-time.ts'
import { answerParent } from './children.ts'
import type { Contender, Stretch } from './contenders/contender.ts'
import type { ContenderName } from './results.ts'

/** The CPU time is that of the Node process, without the CPU time of a server. */
export interface Measured extends Stretch, Spent {}

/**
 * Only the requested contender is loaded, because the simulator changes Node, and the changes must
 * not affect its peers.
 */
const open: Record<ContenderName, () => Promise<Contender>> = {
  simulator: async () => (await import('./contenders/simulator.ts')).openSimulator(),
  'canned-replies': async () => (await import('./contenders/canned-replies.ts')).openCannedReplies(),
  'scheduler-with-mock': async () => (await import('./contenders/scheduler-with-mock.ts')).openSchedulerWithMock(),
  'real-redis': async () => (await import('./contenders/real-redis.ts')).openRealRedis(),
}

const contender = open[process.argv[2] as ContenderName]()
// A rejection is reported by the first answer.
contender.catch(() => {})

answerParent(
  async ({ runs }: { runs: number }): Promise<Measured> => {
    const { run } = await contender
    let stretch: Stretch = { deliveries: 0, repeated: 0 }
    const spent = await cpuMsOf(async () => void (stretch = await run(runs)))
    return { ...stretch, ...spent }
  },
  async () => (await contender).close(),
)
