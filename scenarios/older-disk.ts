import fc from 'fast-check'
import type { PlannedFault, RedisPlan } from '../src/contract/api/plan.ts'
import { defineScenario } from '../src/contract/api/scenario.ts'
import { atNew } from '../src/sim/plans/aim.ts'
import { atMs, copyAtMs } from '../src/sim/plans/at-time.ts'
import { redisClockOff, withinSkewText } from '../src/sim/plans/skew.ts'
import { plansOf } from '../src/sim/plans/workload.ts'

/** When the machine fails, the writes of the last second are lost. */
const everySecond: RedisPlan = {
  replicas: 0,
  sentinels: 0,
  downAfterMs: 0,
  failoverTimeoutMs: 0,
  keeps: 'aof-everysec',
  minReplicasToWrite: 0,
  fullSyncMs: 0,
  loadingMs: 0,
}

/**
 * The maximum error of Redis's clock in either direction, in milliseconds: slightly less than
 * layers allow for.
 */
const offMs = 900

export default defineScenario({
  id: 'older-disk',
  story:
    'A holder stalls before its effect. The clock of Redis is ahead meanwhile, so that another consumer takes over the key and finishes. Then Redis restarts ' +
    'with data that is a second old and a clock that is behind: the record names the first holder.',
  shape: 'single',
  assumptions: [
    'one Redis server, which syncs its log every second; every loss changes its replication id',
    'all copies of a message carry the same payload',
    withinSkewText,
  ],
  goals: ['a-copy-came-after-its-record-was-lost'],
  recoveryCapMs: 60_000,
  runMs: 5,
  plans: plansOf({
    keys: 1,
    messages: 1,
    spanMs: 1,
    consumers: 3,
    serial: fc.constant(false),
    pace: fc.constant({}),
    faults: [],
    effectMs: fc.integer({ min: 1, max: 20 }),
    // Shorter than the clock's jump, and longer than the holder's pause.
    leaseMs: fc.integer({ min: 1500, max: 1750 }),
    redis: fc.constant(everySecond),
    always: () =>
      fc
        .record({
          nth: fc.integer({ min: 2, max: 5 }),
          aheadFromMs: fc.integer({ min: 30, max: 120 }),
          copyMs: fc.array(fc.integer({ min: 5, max: 300 }), { minLength: 1, maxLength: 2, size: 'max' }),
          lostMs: fc.integer({ min: 600, max: 900 }),
          goneMs: fc.integer({ min: 1, max: 20 }),
          laterMs: fc.integer({ min: 50, max: 300 }),
          againMs: fc.integer({ min: 1, max: 400 }),
        })
        .map(({ nth, aheadFromMs, copyMs, lostMs, goneMs, laterMs, againMs }): PlannedFault[] => [
          redisClockOff(-offMs),
          {
            kind: 'clock-step',
            ...atMs(aheadFromMs),
            machine: -1,
            byMs: 2 * offMs,
            healAfterMs: lostMs - aheadFromMs,
          },
          { kind: 'pause', ...atNew('command-unsent', nth), healAfterMs: lostMs + laterMs },
          ...copyMs.map((ms) => copyAtMs(ms)),
          { kind: 'redis-restart', ...atMs(lostMs), healAfterMs: goneMs },
          copyAtMs(lostMs + goneMs + againMs),
        ]),
  }),
})
