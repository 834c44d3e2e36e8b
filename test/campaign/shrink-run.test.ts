import type * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type DrawnRun, drawRun } from '../../src/campaign/draw-run.ts'
import { EventBudget } from '../../src/campaign/event-budget.ts'
import { type Breaks, shrinkRun } from '../../src/campaign/shrink-run.ts'
import type { Plan } from '../../src/contract/plan.ts'
import { hashText } from '../../src/sim/kernel/digest.ts'
import { crashScenario } from './fake-deps.ts'

const scenario = crashScenario()
const planted = (plan: Plan) => plan.faults.some(({ kind, when }) => kind === 'crash' && when.at === 'effect-applied')

/** The first run of a seed that has at least eight faults, the planted one among them. */
function bigRun(seed: number, breaks: (plan: Plan, choiceSeed: number) => boolean) {
  for (let run = 0; ; run++) {
    const drawn = drawRun(scenario, seed, run)
    if (drawn.value.value.faults.length >= 8 && breaks(drawn.value.value, drawn.choiceSeed)) return drawn
  }
}

/** Every run costs one event. */
function shrinkIn(plans: fc.Arbitrary<Plan>, start: DrawnRun, breaks: Breaks, events: number) {
  const budget = new EventBudget(events)
  const paid: Breaks = (...run) => {
    budget.spend(1)
    return breaks(...run)
  }
  return shrinkRun(plans, start, paid, budget)
}

describe('shrinking', () => {
  it('brings eight or more faults down to the one that is needed, on 20 of 20 seeds', async () => {
    for (let seed = 1; seed <= 20; seed++) {
      const small = await shrinkIn(scenario.plans, bigRun(seed, planted), async (plan) => planted(plan), 1000)
      expect(small.plan.faults, `seed ${seed}`).toHaveLength(1)
      expect(small.plan.messages).toHaveLength(1)
      expect(small.plan.faults[0]).toMatchObject({ when: { consumer: 0, nth: 1 } })
    }
  })

  it('gets there when a smaller plan needs other luck', async () => {
    for (let seed = 1; seed <= 20; seed++) {
      // Half of all (plan, choices) miss, as when a shorter run makes its choices elsewhere.
      const lucky = (plan: Plan, choiceSeed: number) =>
        planted(plan) && ((hashText(`${plan.faults.length}`, choiceSeed) >>> 3) & 1) === 0
      const small = await shrinkIn(scenario.plans, bigRun(seed, lucky), async (...run) => lucky(...run), 3000)
      expect(lucky(small.plan, small.choiceSeed)).toBe(true)
      expect(small.plan.faults.length, `seed ${seed}`).toBeLessThanOrEqual(2)
    }
  })

  it('keeps two faults that are both needed', async () => {
    const both: Breaks = async (plan) => planted(plan) && plan.faults.some(({ kind }) => kind === 'pause')
    const drawn = bigRun(3, (plan) => planted(plan) && plan.faults.some(({ kind }) => kind === 'pause'))
    const small = await shrinkIn(scenario.plans, drawn, both, 2000)
    expect(small.plan.faults.map(({ kind }) => kind).sort()).toEqual(['crash', 'pause'])
  })

  it('stops when its budget of runs is spent, with the smallest so far', async () => {
    let runs = 0
    const breaks: Breaks = async (plan) => {
      runs++
      return planted(plan)
    }
    const small = await shrinkIn(scenario.plans, bigRun(1, planted), breaks, 5)
    expect(runs).toBe(5)
    expect(planted(small.plan)).toBe(true)
  })

  it('leaves the plan as it was drawn without a budget', async () => {
    const drawn = bigRun(1, planted)
    const small = await shrinkIn(scenario.plans, drawn, async () => true, 0)
    expect(small.plan).toEqual(drawn.value.value)
  })
})
