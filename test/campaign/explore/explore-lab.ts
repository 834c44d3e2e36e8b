/** Small layers, and explorations of them in this thread. */
import type { Redis } from 'ioredis'
import everything from '../../../scenarios/everything.ts'
import { exploreOrders, noOrders, type OrdersRequest } from '../../../src/campaign/explore/explore-orders.ts'
import { explorePlan } from '../../../src/campaign/explore/explore-plan.ts'
import type { OrdersFound } from '../../../src/campaign/play/explore-tasks.ts'
import type { CampaignDeps, RunResult } from '../../../src/campaign/types.ts'
import { createDeps } from '../../../src/cli/create-deps.ts'
import type { CreateContext, Implementation } from '../../../src/contract/api/implementation.ts'
import type { Message } from '../../../src/contract/api/message.ts'
import { done, layer, loaded } from '../../sim/world-lab.ts'

/** One step of an attempt. False: the attempt ends, because the key is taken or done. */
export type AttemptStep = (redis: Redis, message: Message, context: CreateContext) => Promise<boolean | undefined>

export const steps = {
  increment: async (redis) => void (await redis.incr('count')),
  readCount: async (redis) => void (await redis.get('count')),
  writeOwn: async (redis, _, { instanceId }) => void (await redis.set(instanceId, 1)),
  looks: async (redis, { key }) => (await redis.get(`done:${key}`)) === null,
  claims: async (redis, { key }) => (await redis.set(`lock:${key}`, 1, 'PX', 60_000, 'NX')) === 'OK',
  marks: async (redis, { key }) => void (await redis.set(`done:${key}`, 1, 'EX', 3600)),
  claimsMark: async (redis, { key }) => (await redis.set(`done:${key}`, 1, 'EX', 3600, 'NX')) === 'OK',
  releases: async (redis, { key }) => void (await redis.del(`lock:${key}`)),
  performs: async (_, { key, payload }, { sink }) => void (await sink.perform({ key, payload })),
} satisfies Record<string, AttemptStep>

/** A layer whose attempts take these steps. */
export function layerOf(names: readonly (keyof typeof steps)[]): Pick<Implementation, 'create'> {
  return layer(async (message, redis, context) => {
    for (const name of names) if ((await (steps[name] as AttemptStep)(redis, message, context)) === false) break
    return done
  })
}

export interface Exploring extends Partial<Pick<OrdersRequest, 'unreduced' | 'bail'>> {
  readonly deliveries?: number
  readonly shape?: 'apart' | 'together'
  /** Called with the result of each run, which it may change. */
  readonly change?: (result: RunResult) => void
  readonly faults?: OrdersRequest['plan']['faults']
}

export async function explored(
  implementation: Pick<Implementation, 'create'>,
  { deliveries = 2, shape = 'apart', change, faults = [], unreduced = false, bail = false }: Exploring = {},
): Promise<OrdersFound> {
  const deps = depsWith(change)
  const found = noOrders()
  const plan = { ...explorePlan(deliveries, shape, {}), faults }
  const pair = {
    scenario: { ...everything, goals: [], invariants: ['at-most-once', 'no-lost-message'] as const },
    implementation: loaded(implementation),
  }
  await exploreOrders({ pair, sink: 'plain', plan, bail, unreduced, isOver: () => false }, found, deps)
  return found
}

function depsWith(change: Exploring['change']): CampaignDeps {
  const deps = createDeps(() => false)
  if (change === undefined) return deps
  return {
    ...deps,
    runWorld: async (request) => {
      const result = await deps.runWorld(request)
      change(result)
      return result
    },
  }
}
