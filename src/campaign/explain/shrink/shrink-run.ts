/**
 * Looks for a smaller run that still breaks in the same way: calm, with fewer faults and messages,
 * with a simpler plan, then with calmer choices, fewer consumers and rounder times, over again
 * until nothing gets smaller. Its budget is counted in events, never in wall time, so that the same
 * run shrinks to the same one everywhere.
 */
import type { DrawnRun } from '../../play/draw-run.ts'
import type { ChoiceLists } from '../../token/run-choices.ts'
import type { PlanSpace } from './plan-space.ts'
import { roundTimes } from './round-times.ts'
import { type Bound, type Breaks, type Candidate, Search } from './search.ts'
import { shrinkChoices } from './shrink-choices.ts'
import { descend, leaveOutConsumers, leaveOutOf, leaveOutParts, type TreePlace } from './shrink-plan.ts'

export interface Shrunk extends Candidate {
  /** How many runs it took. */
  readonly executions: number
  /** What it chose; null where nothing smaller was found. */
  readonly made: ChoiceLists | null
}

export async function shrinkRun(
  { plans, ranges, leastConsumers }: PlanSpace,
  { value, choiceSeed }: DrawnRun,
  breaks: Breaks,
  budget: Bound,
): Promise<Shrunk> {
  const search = new Search(value.value, { choiceSeed }, breaks, budget)
  // Without a difference in latencies between runs, a smaller plan breaks or does not.
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
 * Leaves out the faults that it does not need, and changes nothing else but luck. With a fault
 * less, others may be needed no more: at the end each one that is left was left out in turn, unless
 * the budget was spent.
 */
export async function leaveOutFaults({ plan, choices }: Candidate, breaks: Breaks, budget: Bound): Promise<Shrunk> {
  const search = new Search(plan, choices, breaks, budget)
  for (let more = true; more; ) more = await leaveOutOf('faults', search)
  return search
}
