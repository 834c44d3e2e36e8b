/**
 * `pnpm bench:shrink`: shrinks plans with planted bugs that need exactly 1, 2 or 3 of 14 faults,
 * and 1 to 3 consumers. On 20 seeds for each number of faults, measures whether exactly the needed
 * faults and consumers remain, and how many runs shrinking takes. A planted bug is a predicate over
 * plans, so no world is simulated.
 */
import * as fc from 'fast-check'
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus'
import { rangesOf } from '../../src/campaign/explain/shrink/round-times.ts'
import { shrinkRun } from '../../src/campaign/explain/shrink/shrink-run.ts'
import { EventBudget } from '../../src/campaign/play/event-budget.ts'
import { type Plan, slotOf } from '../../src/contract/api/plan.ts'
import { faults } from '../../src/run/faults/index.ts'
import { plansOf } from '../../src/sim/plans/workload.ts'

const faultsOfAPlan = 14
const seeds = 20
const mostRuns = 10_000

const kinds = [...faults.keys()].filter((kind) => !kind.startsWith('machine-'))
const plans = plansOf({ faults: kinds, maxFaults: faultsOfAPlan, messages: 5 })

interface Planted {
  readonly kinds: ReadonlySet<string>
  readonly consumers: number
}

/** The planted bug breaks a plan that has a fault of each needed kind and enough consumers. */
const breaks = (plan: Plan, { kinds: needed, consumers }: Planted): boolean =>
  plan.consumers >= consumers && [...needed].every((kind) => plan.faults.some((fault) => fault.kind === kind))

function drawn(seed: number, need: number): { value: fc.Value<Plan>; planted: Planted } {
  const random = new fc.Random(xoroshiro128plus(seed))
  for (;;) {
    const value = plans.generate(random, undefined)
    const { faults: all, consumers } = value.value
    const names = [...new Set(all.map(({ kind }) => kind))]
    if (all.length !== faultsOfAPlan || names.length < need || consumers < 3) continue
    const at = Array.from({ length: need }, (_, nth) => Math.floor(((nth + 0.5) * names.length) / need))
    const needed = new Set(at.map((place) => names[place]!))
    // Every needed fault must target an existing consumer.
    const slots = all.filter(({ kind }) => needed.has(kind)).map(slotOf)
    if (slots.some((slot) => slot >= consumers)) continue
    return { value, planted: { kinds: needed, consumers: 1 + (seed % 3) } }
  }
}

const ranges = rangesOf(fc.sample(plans, { numRuns: 200, seed: 1 }))
console.log('faults needed | exactly those left | consumers at their least | runs, median | runs, most')
console.log('---|---|---|---|---')
for (const need of [1, 2, 3]) {
  let exact = 0
  let fewest = 0
  const runs: number[] = []
  for (let seed = 1; seed <= seeds; seed++) {
    const { value, planted } = drawn(seed * 100 + need, need)
    const budget = new EventBudget(mostRuns)
    const small = await shrinkRun(
      { plans, ranges, leastConsumers: 1 },
      { value, choiceSeed: seed },
      async (plan) => {
        budget.spend(1)
        return breaks(plan, planted) ? {} : null
      },
      budget,
    )
    runs.push(small.executions)
    const left = small.plan.faults.map(({ kind }) => kind)
    if (left.length === need && left.every((kind) => planted.kinds.has(kind))) exact++
    if (small.plan.consumers === planted.consumers) fewest++
  }
  runs.sort((a, b) => a - b)
  console.log(
    `${need} of ${faultsOfAPlan} | ${exact} of ${seeds} | ${fewest} of ${seeds} | ${runs[seeds / 2]} | ${runs.at(-1)}`,
  )
}
