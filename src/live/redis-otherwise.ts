/** What a plan wants of its Redis deployment and live servers have otherwise. */
import type { Plan } from '../contract/plan.ts'
import type { NotMadeLive } from '../contract/results.ts'
import { deployedRedis } from './servers/sentinel-deployment.ts'

/** By name. Durations of the plan are compared times the scale. */
export function redisOtherwise({ redis }: Plan, scale: number): NotMadeLive[] {
  if (redis === undefined) return []
  return Object.entries(redis).flatMap(([name, wanted]) => {
    const has = new Map<string, unknown>(Object.entries(deployedRedis)).get(name)
    const value = typeof wanted === 'number' && name.endsWith('Ms') ? Math.round(wanted * scale) : wanted
    return value === has
      ? []
      : [{ fault: `redis.${name}: ${value}`, why: `live servers have ${has ?? 'no such rule'}` }]
  })
}
