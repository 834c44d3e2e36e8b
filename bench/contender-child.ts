/**
 * A child that holds one contender, opened once, and measures the stretches that it is asked for.
 */
import { cpuMsOf, type Spent } from './checkout/cpu-time.ts'
import { answerParent } from './children.ts'
import type { Contender, Stretch } from './contenders/contender.ts'
import type { ContenderName } from './results.ts'

/** CPU time is the Node process's; a server's own is not in it. */
export interface Measured extends Stretch, Spent {}

/**
 * Only the one that is asked for is loaded: the simulator changes Node, which is no business of its
 * peers.
 */
const open: Record<ContenderName, () => Promise<Contender>> = {
  simulator: async () => (await import('./contenders/simulator.ts')).openSimulator(),
  'canned-replies': async () => (await import('./contenders/canned-replies.ts')).openCannedReplies(),
  'scheduler-with-mock': async () => (await import('./contenders/scheduler-with-mock.ts')).openSchedulerWithMock(),
  'real-redis': async () => (await import('./contenders/real-redis.ts')).openRealRedis(),
}

const contender = open[process.argv[2] as ContenderName]()
// Told with the first answer.
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
