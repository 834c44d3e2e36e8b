/** A child that measures single operations: every one of them in every round. */
import { answerParent } from './children.ts'
import type { Cost } from './costs/cost.ts'
import { event } from './costs/event.ts'
import { redisCosts } from './costs/redis.ts'
import { type CostResult, median } from './results.ts'

const costs: readonly Cost[] = [event, ...redisCosts]

/** Draining works from a macrotask only. */
const macrotask = () => new Promise<void>((resolve) => setImmediate(resolve))

answerParent(
  async ({ rounds, quick }: { rounds: number; quick: boolean }): Promise<readonly CostResult[]> => {
    const rows = costs.map((cost) => ({ cost, repeat: cost.prepare(), us: [] as number[] }))
    for (let round = 0; round <= rounds; round++)
      for (const { cost, repeat, us } of rows) {
        const times = quick ? Math.ceil(cost.times / 8) : cost.times
        await macrotask()
        const start = process.hrtime.bigint()
        repeat(times)
        // The first round compiles.
        if (round > 0) us.push(Number(process.hrtime.bigint() - start) / 1000 / times)
      }
    return rows.map(({ cost, us }) => ({ name: cost.name, us: median(us) }))
  },
  async () => {},
)
