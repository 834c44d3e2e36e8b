import { hashText } from 'virtual-node/kernel'
import { describe, expect, it } from 'vitest'
import { rangesOf } from '../../../../src/campaign/explain/shrink/round-times.ts'
import { type Breaks, Search } from '../../../../src/campaign/explain/shrink/search.ts'
import { shrinkChoices } from '../../../../src/campaign/explain/shrink/shrink-choices.ts'
import { leaveOutFaults, shrinkRun } from '../../../../src/campaign/explain/shrink/shrink-run.ts'
import { type DrawnRun, drawRun } from '../../../../src/campaign/play/draw-run.ts'
import { EventBudget } from '../../../../src/campaign/play/event-budget.ts'
import { sampledPlans } from '../../../../src/campaign/play/sampled-plans.ts'
import { type ChoiceLists, type RunChoices, withoutCalm } from '../../../../src/campaign/token/run-choices.ts'
import type { Plan } from '../../../../src/contract/api/plan.ts'
import { crashScenario } from '../../fake-deps.ts'

const scenario = crashScenario()
const ranges = rangesOf(sampledPlans(scenario))
const planted = (plan: Plan) => plan.faults.some(({ kind, when }) => kind === 'crash' && when.at === 'effect-applied')

/** The first run of a seed that has at least eight faults, including the planted one. */
function bigRun(seed: number, breaks: (plan: Plan, choiceSeed: number) => boolean) {
  for (let run = 0; ; run++) {
    const drawn = drawRun(scenario, seed, run)
    if (drawn.value.value.faults.length >= 8 && breaks(drawn.value.value, drawn.choiceSeed)) return drawn
  }
}

type Luck = (plan: Plan, luck: number) => boolean

/** The choices as one number; 0 if all are calm. */
const luckOf = ({ choiceSeed, choices }: RunChoices) =>
  choices === undefined ? choiceSeed : Object.values(choices).flat().length

/** Every run costs one event. */
function shrinkIn(start: DrawnRun, breaks: Luck, events: number) {
  const budget = new EventBudget(events)
  const paid: Breaks = async (plan, choices) => {
    budget.spend(1)
    return breaks(plan, luckOf(choices)) ? (choices.choices ?? { broker: [0, 5] }) : null
  }
  return shrinkRun({ plans: scenario.plans, ranges, leastConsumers: 1 }, start, paid, budget)
}

describe('shrinking', () => {
  it('reduces eight or more faults to the one that is needed, on 20 of 20 seeds', async () => {
    for (let seed = 1; seed <= 20; seed++) {
      const small = await shrinkIn(bigRun(seed, planted), planted, 1000)
      expect(small.plan.faults, `seed ${seed}`).toHaveLength(1)
      expect(small.plan.messages).toHaveLength(1)
      expect(small.plan.faults[0]).toMatchObject({ when: { consumer: 0, nth: 1 } })
      expect(small.choices.choices).toEqual({})
    }
  })

  it('succeeds if a smaller plan needs other choices', async () => {
    for (let seed = 1; seed <= 20; seed++) {
      // Half of all pairs of plan and choices miss, as in a shorter run that makes its choices
      // elsewhere.
      const lucky: Luck = (plan, luck) => planted(plan) && ((hashText(`${plan.faults.length}`, luck) >>> 3) & 1) === 0
      const small = await shrinkIn(bigRun(seed, lucky), lucky, 3000)
      expect(lucky(small.plan, luckOf(small.choices))).toBe(true)
      expect(small.plan.faults.length, `seed ${seed}`).toBeLessThanOrEqual(2)
    }
  })

  it('keeps two faults that are both needed', async () => {
    const both = (plan: Plan) => planted(plan) && plan.faults.some(({ kind }) => kind === 'pause')
    const small = await shrinkIn(bigRun(3, both), both, 2000)
    expect(small.plan.faults.map(({ kind }) => kind).sort()).toEqual(['crash', 'pause'])
  })

  it('stops when its budget is spent, with the smallest run so far', async () => {
    let runs = 0
    const breaks = (plan: Plan) => {
      runs++
      return planted(plan)
    }
    const small = await shrinkIn(bigRun(1, planted), breaks, 5)
    expect(runs).toBe(5)
    expect(planted(small.plan)).toBe(true)
  })

  it('keeps the run as drawn without a budget', async () => {
    const drawn = bigRun(1, planted)
    const small = await shrinkIn(drawn, () => true, 0)
    expect(small.plan).toEqual(drawn.value.value)
    expect(small.choices).toEqual({ choiceSeed: drawn.choiceSeed })
  })

  it('removes untargeted consumers, and rounds times within the range of the scenario', async () => {
    const least = (plan: Plan) => planted(plan) && plan.leaseMs > 1234
    const { plan } = await shrinkIn(bigRun(2, least), least, 2000)
    expect(plan.consumers).toBe(1)
    expect(plan.leaseMs % 100).toBe(0)
    expect(plan.leaseMs).toBeGreaterThan(1234)
    expect(plan.leaseMs).toBeLessThanOrEqual(10_000)
  })
})

describe('leaving out faults', () => {
  const [one, another, third] = bigRun(1, () => true).value.value.faults
  const faults = [one!, another!, third!]

  it('tries a plan again after another fault was removed', async () => {
    const drawn = { plan: { ...bigRun(1, planted).value.value, faults }, choices: { choiceSeed: 1 } }
    const some = [faults.slice(1), [another!]].map((left) => JSON.stringify(left))
    const tried: string[] = []
    const breaks: Breaks = async (plan, choices) => {
      tried.push(JSON.stringify([plan.faults, choices]))
      return some.includes(JSON.stringify(plan.faults)) ? {} : null
    }
    expect((await leaveOutFaults(drawn, breaks, { isSpent: false })).plan.faults).toEqual([another])
    expect(new Set(tried).size).toBe(tried.length)
  })

  it('ends if no fault is needed, and if each one is', async () => {
    const drawn = { plan: { ...bigRun(1, planted).value.value, faults }, choices: { choiceSeed: 1 } }
    const left = async (made: ChoiceLists | null) =>
      (await leaveOutFaults(drawn, async () => made, { isSpent: false })).plan.faults
    expect(await left({})).toEqual([])
    expect(await left(null)).toEqual(faults)
  })
})

describe('choices', () => {
  const drawn = bigRun(1, planted)
  const made = { broker: [0, 1, 4], 'consumer-1~redis>': [7, 0, 9, 583, 12], 'consumer-2~redis<': [3, 3, 3] }

  async function calmed(breaks: (lists: ChoiceLists) => boolean) {
    let runs = 0
    const choices = { choiceSeed: 1, choices: made }
    const tried = async (_: Plan, { choices: lists }: RunChoices) => {
      runs++
      return breaks(lists!) ? withoutCalm(lists!) : null
    }
    const search = new Search(drawn.value.value, choices, tried, { isSpent: false })
    search.made = made
    const smaller = await shrinkChoices(search)
    return { smaller, runs, lists: search.choices.choices }
  }

  it('are all calm if none is needed, which takes one run', async () => {
    expect(await calmed(() => true)).toEqual({ smaller: true, runs: 1, lists: {} })
  })

  it('keep the one that is needed, in a list that ends with it', async () => {
    const { lists, runs } = await calmed((some) => some['consumer-1~redis>']?.[2] === 9)
    expect(lists).toEqual({ 'consumer-1~redis>': [0, 0, 9] })
    expect(runs).toBeLessThan(20)
  })

  it('keep only those of several streams that are needed together', async () => {
    const both = (some: ChoiceLists) => some.broker?.[1] === 1 && some['consumer-2~redis<']?.[1] === 3
    expect((await calmed(both)).lists).toEqual({ broker: [0, 1], 'consumer-2~redis<': [0, 3] })
  })

  it('stay as they are if each is needed', async () => {
    const all = (some: ChoiceLists) => Object.values(some).flat().filter(Boolean).length === 9
    expect(await calmed(all)).toMatchObject({ smaller: false, lists: made })
  })
})
