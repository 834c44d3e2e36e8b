import { expect, it } from 'vitest'
import type { PlannedFault } from '../../src/contract/api/plan.ts'
import { describeLive, factsOf } from './lab.ts'

const fault = (kind: string, ms: number, healAfterMs?: number): PlannedFault => ({
  kind,
  when: { at: 'time', ms },
  ...(healAfterMs === undefined ? {} : { healAfterMs }),
})

const messages = [0, 900].map((publishAtMs, at) => ({ key: `order-${at}`, payload: at, publishAtMs }))

/** Faults, and the order in which they strike and heal. */
const overlaps: Record<string, [faults: PlannedFault[], reported: string[]]> = {
  'memory is restored after the restart of Redis': [
    [fault('redis-out-of-memory', 100, 200), fault('redis-restart', 200, 400)],
    ['redis-out-of-memory', 'redis-restart', 'redis-restart healed', 'redis-out-of-memory healed'],
  ],
  'a restart follows a busy Redis': [
    [fault('redis-busy', 100, 300), fault('redis-restart', 200, 100)],
    ['redis-busy', 'redis-busy healed', 'redis-restart', 'redis-restart healed'],
  ],
  'a flush follows a busy Redis': [
    [fault('redis-busy', 100, 300), fault('redis-flushed', 200)],
    ['redis-busy', 'redis-busy healed', 'redis-flushed'],
  ],
  'memory is restored after Redis is no longer busy': [
    [fault('redis-out-of-memory', 100, 200), fault('redis-busy', 200, 300)],
    ['redis-out-of-memory', 'redis-busy', 'redis-busy healed', 'redis-out-of-memory healed'],
  ],
  'a restart follows a frozen Redis': [
    [fault('slow-redis', 100, 300), fault('redis-restart', 200, 100)],
    ['slow-redis', 'slow-redis healed', 'redis-restart', 'redis-restart healed'],
  ],
  'a busy Redis ends at once': [[fault('redis-busy', 100, 1)], ['redis-busy', 'redis-busy healed']],
  'a busy Redis is skipped without a free connection': [
    [fault('connection-limit', 100, 400), fault('redis-busy', 200, 100)],
    ['connection-limit', 'connection-limit healed'],
  ],
}

describeLive('overlapping faults of a live server come one after the other:', (lab) => {
  for (const [name, [faults, reported]] of Object.entries(overlaps))
    it(name, async () => {
      const run = await lab.run('001-get-set', { faults, messages })
      const events = [...factsOf(run, 'fault-struck'), ...factsOf(run, 'fault-healed')].sort((a, b) => a.seq - b.seq)
      expect(events.map((one) => one.fault + (one.type === 'fault-healed' ? ' healed' : ''))).toEqual(reported)
      expect(run.history.events.at(-1)).toMatchObject({ type: 'ended', complete: true })
    })
})
