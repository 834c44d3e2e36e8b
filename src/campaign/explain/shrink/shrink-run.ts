/**
 * Searches for a smaller run with the same violation. It tries calm choices, then fewer faults and
 * messages, then a simpler plan. Then it tries fewer parts, calmer choices, fewer consumers and
 * rounder times, again and again until nothing gets smaller. The budget is in events, never in wall
 * time, so that a run shrinks to the same result everywhere.
 */
import type { DrawnRun } from '../../play/draw-run.ts'
import type { ChoiceLists } from '../../token/run-choices.ts'
import type { PlanSpace } from './plan-space.ts'
import { roundTimes } from './round-times.ts'
import { type Bound, type Breaks, type Candidate, Search } from './search.ts'
import { shrinkChoices } from './shrink-choices.ts'
import { descend, leaveOutConsumers, leaveOutOf, leaveOutParts, type TreePlace } from './shrink-plan.ts'

export interface Shrunk extends Candidate {
  /** The number of runs that were played. */
  readonly executions: number
  /** The choices of the run; null if no smaller run was found. */
  readonly made: ChoiceLists | null
}

export async function shrinkRun(
  { plans, ranges, leastConsumers }: PlanSpace,
  { value, choiceSeed }: DrawnRun,
  breaks: Breaks,
  budget: Bound,
): Promise<Shrunk> {
  const search = new Search(value.value, { choiceSeed }, breaks, budget)
  // With calm choices, latencies are equal in all runs, so the outcome depends only on the plan.
  await search.accept({ plan: search.plan, choices: search.calm })
  let place: TreePlace = { plan: value.value, context: value.context }
  while (await leaveOutParts(search)) place = await descend(plans, place, search)
  await descend(plans, place, search)
  for (let smaller = true; smaller && !search.spent; ) {
    smaller = await leaveOutParts(search)
    if (await shrinkChoices(search)) smaller = true
    if (await leaveOutConsumers(search, leastConsumers)) smaller = true
    if (await roundTimes(search, ranges)) smaller = true
  }
  return search
}

export const drawnCandidate = ({ value, choiceSeed }: DrawnRun): Candidate => ({
  plan: value.value,
  choices: { choiceSeed },
})

/**
 * Removes the faults that are not needed, and changes nothing else except the choices. Removing one
 * fault can make others unnecessary, so the search repeats until each remaining fault was tried, or
 * the budget is spent.
 */
export async function leaveOutFaults({ plan, choices }: Candidate, breaks: Breaks, budget: Bound): Promise<Shrunk> {
  const search = new Search(plan, choices, breaks, budget)
  for (let more = true; more; ) more = await leaveOutOf('faults', search)
  return search
}
