/**
 * Looks for a smaller plan that still breaks in the same way: along fast-check's shrink tree, greedily, then by leaving
 * out faults and messages one at a time, which a tree of bounded depth may miss. Its budget is counted in events, never
 * in wall time, so that the same run shrinks to the same one everywhere.
 */
import type * as fc from 'fast-check'
import { canonicalJson } from '../contract/json.ts'
import type { Plan } from '../contract/plan.ts'
import { hashText } from '../sim/kernel/digest.ts'

export interface Shrunk {
  readonly plan: Plan
  readonly choiceSeed: number
  /** How many runs it took. */
  readonly executions: number
}

/** Whether that run breaks the same invariant in the same way. It spends of the budget what it plays. */
export type Breaks = (plan: Plan, choiceSeed: number) => Promise<boolean>

/** Read only: `Breaks` does the spending. */
export interface Bound {
  readonly isSpent: boolean
}

interface Start {
  readonly value: fc.Value<Plan>
  readonly choiceSeed: number
}

export async function shrinkRun(
  plans: fc.Arbitrary<Plan>,
  start: Start,
  breaks: Breaks,
  budget: Bound,
): Promise<Shrunk> {
  const search = new Search(start.value.value, start.choiceSeed, breaks, budget)
  await descend(plans, start.value.value_, start.value.context, search)
  while (await leaveOut(search)) {
    if (plans.canShrinkWithoutContext(search.plan)) await descend(plans, search.plan, undefined, search)
  }
  return search
}

/** Leaves out the faults that it does not need, and changes nothing else. */
export async function leaveOutFaults(start: Start, breaks: Breaks, budget: Bound): Promise<Shrunk> {
  const search = new Search(start.value.value, start.choiceSeed, breaks, budget)
  await leaveOutOf('faults', search)
  return search
}

class Search implements Shrunk {
  executions = 0
  readonly #tried = new Set<string>()
  readonly #choiceSeeds: readonly number[]

  constructor(
    public plan: Plan,
    public choiceSeed: number,
    private readonly breaks: Breaks,
    private readonly budget: Bound,
  ) {
    this.#choiceSeeds = [choiceSeed, ...[1, 2].map((again) => hashText(`again ${again}`, choiceSeed))]
    this.#tried.add(canonicalJson(plan))
  }

  get spent(): boolean {
    return this.budget.isSpent
  }

  /** A smaller plan may need another choice seed: its run makes fewer choices, in other places. */
  async accept(plan: Plan): Promise<boolean> {
    const text = canonicalJson(plan)
    if (this.#tried.has(text)) return false
    this.#tried.add(text)
    const others = this.#choiceSeeds.filter((seed) => seed !== this.choiceSeed)
    for (const choiceSeed of [this.choiceSeed, ...others]) {
      if (this.spent) return false
      this.executions++
      if (!(await this.breaks(plan, choiceSeed))) continue
      this.plan = plan
      this.choiceSeed = choiceSeed
      return true
    }
    return false
  }
}

/** Down fast-check's shrink tree: to the first smaller plan that still breaks, and on from there. */
async function descend(plans: fc.Arbitrary<Plan>, plan: Plan, context: unknown, search: Search): Promise<void> {
  for (let more = true; more; ) {
    more = false
    for (const next of plans.shrink(plan, context)) {
      if (search.spent) return
      if (!(await search.accept(next.value))) continue
      plan = next.value_
      context = next.context
      more = true
      break
    }
  }
}

/** Leaves out every fault and message that is not needed. Answers whether there was one. */
async function leaveOut(search: Search): Promise<boolean> {
  const faults = await leaveOutOf('faults', search)
  return (await leaveOutOf('messages', search)) || faults
}

async function leaveOutOf(list: 'faults' | 'messages', search: Search): Promise<boolean> {
  let found = false
  for (let at = search.plan[list].length - 1; at >= 0 && !search.spent; at--) {
    const { plan } = search
    if (plan[list].length === 1 && list === 'messages') break
    if (await search.accept({ ...plan, [list]: plan[list].filter((_, index) => index !== at) })) found = true
  }
  return found
}
