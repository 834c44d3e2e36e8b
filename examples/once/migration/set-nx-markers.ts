/** Markers of consumers that guard by hand: `started` by SET NX, and later the result as JSON. */
import type { Redis } from 'ioredis'
import type { OldMarkers } from './beside-old.ts'

/** `lifeMs`: as the old consumers set it. It must be at least the retention of `once`. */
export function setNxMarkers<Result>(redis: Redis, prefix: string, lifeMs: number): OldMarkers<Result> {
  return {
    async take(key) {
      const name = prefix + key
      await redis.set(name, 'once', 'PX', lifeMs, 'NX')
      const [value, leftMs] = await Promise.all([redis.get(name), redis.pttl(name)])
      if (value === 'once') return { by: 'once' }
      // Null: the marker expired between the two commands.
      if (value === null) return { by: 'old', finished: false, forMs: 0 }
      if (value === 'started') return { by: 'old', finished: false, forMs: lifeMs - leftMs }
      return { by: 'old', finished: true, result: JSON.parse(value) }
    },
    finish: async (key, result) => void (await redis.set(prefix + key, JSON.stringify(result ?? null), 'PX', lifeMs)),
  }
}
