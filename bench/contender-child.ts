/** A child that holds one contender, opened once, and measures the stretches that it is asked for. */
import { answerParent } from './children.ts'
import type { Contender, Stretch } from './contenders/contender.ts'
import type { ContenderName } from './results.ts'

export interface Measured extends Stretch {
  readonly wallMs: number
  /** Of the Node process; a server's own is not in it. */
  readonly cpuMs: number
}

/** Only the one that is asked for is loaded: the simulator changes Node, which is no business of its peers. */
const open: Record<ContenderName, () => Promise<Contender>> = {
  simulator: async () => (await import('./contenders/simulator.ts')).openSimulator(),
  'scheduler-with-mock': async () => (await import('./contenders/scheduler-with-mock.ts')).openSchedulerWithMock(),
  'real-redis': async () => (await import('./contenders/real-redis.ts')).openRealRedis(),
}

const contender = open[process.argv[2] as ContenderName]()
// Told with the first answer.
contender.catch(() => {})

answerParent(
  async ({ runs }: { runs: number }): Promise<Measured> => {
    const { run } = await contender
    const cpu = process.cpuUsage()
    const start = process.hrtime.bigint()
    const stretch = await run(runs)
    const wallMs = Number(process.hrtime.bigint() - start) / 1e6
    const { user, system } = process.cpuUsage(cpu)
    return { ...stretch, wallMs, cpuMs: (user + system) / 1000 }
  },
  async () => (await contender).close(),
)
