/**
 * fast-check's scheduler with ioredis-mock: the order of replies is drawn, Redis is an object in
 * memory, and fengari executes its Lua scripts. All consumers and runs share one instance, whose
 * scripts are defined once. More instances or definitions would make this contender slower than
 * necessary.
 */
import fc from 'fast-check'
import RedisMock from 'ioredis-mock'
import type { LayerClient } from '../handler.ts'
import { problemOf, type RunEnd, virtualLeaseMs } from '../workload.ts'
import { type Contender, UnequalError } from './contender.ts'
import { definedOnce, playRun } from './small-broker.ts'

export async function openSchedulerWithMock(): Promise<Contender> {
  const redis = new RedisMock()
  const client = definedOnce(redis as unknown as LayerClient)
  let nextSeed = 1
  return {
    async run(runs) {
      let deliveries = 0
      const property = fc.asyncProperty(fc.scheduler(), async (scheduler) => {
        await redis.flushall()
        const end = await underVirtualDate((advance) => scheduler.waitFor(play(scheduler, client, advance)))
        const problem = problemOf(end)
        if (problem !== null) throw new UnequalError(`fast-check with ioredis-mock: ${problem}`)
        deliveries += end.deliveries
      })
      await fc.assert(property, { numRuns: runs, seed: nextSeed++, endOnFailure: true })
      return { deliveries, repeated: 0 }
    },
    close: async () => redis.disconnect(),
  }
}

function play(scheduler: fc.Scheduler, client: LayerClient, advance: (ms: number) => void) {
  return playRun([client], {
    leaseMs: virtualLeaseMs,
    prefix: '',
    send: (command, label) => scheduler.schedule(command(), label),
    pause: async (untilLeaseEnds) => {
      await scheduler.schedule(Promise.resolve(), 'redelivery')
      if (untilLeaseEnds) advance(virtualLeaseMs)
    },
  })
}

/**
 * The mock's expiry uses `Date.now`, which a test stubs. The clock moves only when the broker
 * waits.
 */
async function underVirtualDate(work: (advance: (ms: number) => void) => Promise<RunEnd>): Promise<RunEnd> {
  const realNow = Date.now
  let nowMs = realNow()
  Date.now = () => nowMs
  try {
    return await work((ms) => {
      nowMs += ms
    })
  } finally {
    Date.now = realNow
  }
}
