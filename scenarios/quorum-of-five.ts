import fc from 'fast-check'
import type { PlannedFault } from '../src/contract/api/plan.ts'
import { defineScenario } from '../src/contract/api/scenario.ts'
import { atTime, durationMs } from '../src/run/faults/fault.ts'
import { atFirst } from '../src/sim/plans/aim.ts'
import { purePlans } from '../src/sim/plans/pure-plans.ts'
import { independentRedis } from '../src/sim/plans/redis-plan.ts'

const server = fc.integer({ min: 1, max: 5 })
type Moment = Pick<PlannedFault, 'when'> & { readonly aim?: string }
const atWork = fc.constant<Moment>(atFirst('effect-unapplied'))

/** The faults of one of the five servers. */
const fates = {
  /** The server never returns. */
  lost: (number: fc.Arbitrary<number>) => fc.record({ kind: fc.constant('redis-restart'), server: number }),
  /** The server restarts at once, with the data on its disk. */
  restarted: (number: fc.Arbitrary<number>) =>
    fc.record({ kind: fc.constant('redis-restart'), server: number, healAfterMs: fc.integer({ min: 1, max: 50 }) }),
  /** The server's clock jumps, and jumps back later. */
  stepped: (number: fc.Arbitrary<number>) =>
    fc.record({
      kind: fc.constant('clock-step'),
      machine: number.map((one) => -one),
      byMs: fc.oneof(fc.integer({ min: -5000, max: 5000 }), fc.integer({ min: -3_500_000, max: 3_500_000 })),
      healAfterMs: durationMs(),
    }),
} as const

const happening = (fate: keyof typeof fates, number: fc.Arbitrary<number>, moment: fc.Arbitrary<Moment>) =>
  fc.tuple(fates[fate](number), moment).map(([one, when]): PlannedFault => ({ ...one, ...when }))

/** The consumer that gets the first message cannot reach the servers in `numbers`. */
const outOfReach = (numbers: readonly number[]): fc.Arbitrary<PlannedFault[]> =>
  fc.integer({ min: 1000, max: 7000 }).map((healAfterMs) =>
    numbers.map((number) => ({
      kind: 'partition',
      node: `redis-${number}`,
      way: 'both',
      healAfterMs,
      ...atFirst('delivery-received'),
    })),
  )

const workload = {
  againAfterMs: fc.integer({ min: 80, max: 150 }),
  effectMs: fc.integer({ min: 200, max: 400 }),
}

/** The holder reaches three servers. One of them has the fault `fate` while the holder works. */
const reached = (fate: keyof typeof fates) =>
  purePlans({
    ...workload,
    redis: independentRedis({ keeps: fc.constant('nothing') }),
    faults: () =>
      fc
        .tuple(happening(fate, fc.integer({ min: 1, max: 3 }), atWork), outOfReach([4, 5]))
        .map(([one, cut]) => [...cut, one]),
  })

/** All five servers have granted the lock when its holder stops. */
const stopped = purePlans({
  ...workload,
  redis: independentRedis(),
  faults: () =>
    fc
      .integer({ min: 50, max: 400 })
      .map((byMs) => [{ kind: 'pause', healAfterMs: 1000, near: { limit: 0, byMs }, ...atFirst('effect-unsent') }]),
})

export default defineScenario({
  id: 'quorum-of-five',
  story:
    'Five independent Redis servers decide by majority. One of them is lost or restarted, or its clock jumps, while a consumer may reach only three of them; or a consumer stalls. ' +
    'A majority is only as reliable as the most forgetful of its members.',
  shape: 'independent',
  assumptions: [
    'five Redis servers; at most one is lost or restarted, or its clock jumps, once',
    'all copies of a message carry the same payload',
    'no process fails, and a consumer reaches at least three of the servers',
  ],
  goals: [
    'an-acknowledged-write-was-lost-by-a-restart',
    'a-clock-went-astray-while-a-delivery-was-open',
    'a-paused-process-resumed-after-its-lease',
  ],
  recoveryCapMs: 60_000,
  runMs: 10,
  minimumRuns: 60,
  plans: purePlans({
    ...workload,
    redis: independentRedis(),
    faults: (scope) => {
      const moment = fc.oneof(
        atTime(scope).map((when): Moment => ({ when })),
        atWork,
      )
      const fate = fc.oneof(...(['lost', 'restarted', 'stepped'] as const).map((one) => happening(one, server, moment)))
      const cut = fc.subarray([1, 2, 3, 4, 5], { maxLength: 2 }).chain(outOfReach)
      return fc.tuple(cut, fate).map(([some, one]) => [...some, one])
    },
  }),
  aimed: {
    every: 2,
    draws: [
      { goals: ['an-acknowledged-write-was-lost-by-a-restart'], plans: reached('restarted') },
      { goals: ['a-clock-went-astray-while-a-delivery-was-open'], plans: reached('stepped') },
      { goals: ['an-acknowledged-write-was-lost-by-a-restart'], plans: reached('lost') },
      { goals: ['a-paused-process-resumed-after-its-lease'], plans: stopped },
    ],
  },
})
