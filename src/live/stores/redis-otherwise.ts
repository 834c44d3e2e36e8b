/** What a plan wants of its Redis deployment and live servers have otherwise. */
import type { Plan } from '../../contract/api/plan.ts'
import type { NotMadeLive } from '../../contract/results/results.ts'
import { redisMade } from './redis-made.ts'

/** By name. Durations of the plan are compared times the scale. */
export function redisOtherwise({ redis }: Plan, scale: number): NotMadeLive[] {
  if (redis === undefined) return []
  const made = new Map<string, unknown>(Object.entries(redisMade(redis, scale)))
  return Object.entries(redis).flatMap(([name, wanted]) => {
    const has = made.get(name)
    const value = typeof wanted === 'number' && name.endsWith('Ms') ? Math.round(wanted * scale) : wanted
    return value === has
      ? []
      : [{ fault: `redis.${name}: ${value}`, why: `live servers have ${has ?? 'no such rule'}` }]
  })
}
