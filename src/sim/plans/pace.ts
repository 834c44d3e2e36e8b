import fc from 'fast-check'
import type { Plan } from '../../contract/api/plan.ts'
import { oneIn } from '../../run/seldom.ts'

/**
 * The speed of handlers and of the sink relative to the lease. Durations are in hundredths of a
 * lease, except `spareMs`. Some durations are drawn shorter and some longer than the lease.
 */
export interface Pace {
  readonly work?: { readonly before: number; readonly after: number } | undefined
  /**
   * `effect`: how long the sink works on each effect. `spareMs`: how much longer its callers wait.
   */
  readonly slowSink?: { readonly effect: number; readonly spareMs: number } | undefined
}

const shareOfLease = () =>
  fc.oneof(
    { withCrossShrink: true },
    { weight: 1, arbitrary: fc.constant(0) },
    { weight: 2, arbitrary: fc.integer({ min: 1, max: 95 }) },
    { weight: 2, arbitrary: fc.integer({ min: 105, max: 250 }) },
  )

/**
 * In one plan in five, the handlers work before or after their effects. In one plan in eight, the
 * sink is slow.
 */
export const paces: fc.Arbitrary<Pace> = fc.record({
  work: oneIn(5, fc.record({ before: shareOfLease(), after: shareOfLease() })),
  slowSink: oneIn(
    8,
    fc.record({ effect: fc.integer({ min: 50, max: 250 }), spareMs: fc.integer({ min: 300, max: 3000 }) }),
  ),
})

type Timings = Pick<Plan, 'effectMs' | 'effectTimeoutMs' | 'work'>

export function pacedBy({ work, slowSink }: Pace, leaseMs: number, usual: Timings): Timings {
  const ms = (hundredths: number) => Math.round((leaseMs * hundredths) / 100)
  const effectMs = slowSink === undefined ? usual.effectMs : ms(slowSink.effect)
  const effectTimeoutMs = slowSink === undefined ? usual.effectTimeoutMs : effectMs + slowSink.spareMs
  const timings = { effectMs, effectTimeoutMs }
  if (work === undefined || work.before + work.after === 0) return timings
  return { ...timings, work: { beforeMs: ms(work.before), afterMs: ms(work.after) } }
}

/** How much longer one delivery takes with these timings than with `usual`, in milliseconds. */
export function slowerBy({ effectMs, work }: Timings, usual: Timings): number {
  const { beforeMs = 0, afterMs = 0 } = work ?? {}
  return beforeMs + afterMs + Math.max(0, effectMs - usual.effectMs)
}
