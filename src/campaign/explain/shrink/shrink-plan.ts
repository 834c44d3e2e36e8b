/**
 * Shrinks plans: along fast-check's shrink tree, and by removing faults, messages and consumers
 * that are not needed.
 */
import type * as fc from 'fast-check'
import type { JsonValue } from '../../../contract/api/json.ts'
import type { Plan, PlannedFault } from '../../../contract/api/plan.ts'
import { leaveOut } from './leave-out.ts'
import type { Search } from './search.ts'

/**
 * A position in fast-check's shrink tree. Its plan may have faults and messages that the search has
 * already removed.
 */
export interface TreePlace {
  readonly plan: Plan
  readonly context: unknown
}

/**
 * Descends the shrink tree to the first simpler plan that still breaks, and continues from there.
 * Candidates must have as many parts as their parent. Parts that the search has removed are removed
 * from the candidates, too.
 */
export async function descend(plans: fc.Arbitrary<Plan>, from: TreePlace, search: Search): Promise<TreePlace> {
  let place = from
  for (let more = true; more; ) {
    more = false
    const kept = partsOf(search.plan)
    for (const { value, context } of plans.shrink(place.plan, place.context)) {
      if (search.spent) return place
      const smaller = withParts(value, place.plan, kept)
      if (smaller === null || !isWorthARun(smaller, search.plan) || !(await search.acceptPlan(smaller))) continue
      place = { plan: value, context }
      more = true
      break
    }
  }
  return place
}

const partsOf = ({ faults, messages }: Plan): ReadonlySet<object> => new Set<object>([...faults, ...messages])

/**
 * The candidate without removed parts; null if its parts do not correspond to those of the parent,
 * because their number differs.
 */
function withParts(plan: Plan, parent: Plan, kept: ReadonlySet<object>): Plan | null {
  if (plan.faults.length !== parent.faults.length || plan.messages.length !== parent.messages.length) return null
  return {
    ...plan,
    faults: plan.faults.filter((_, at) => kept.has(parent.faults[at]!)),
    messages: plan.messages.filter((_, at) => kept.has(parent.messages[at]!)),
  }
}

/**
 * True if the candidate is worth a run. A change of a single number by less than a quarter is not
 * worth a run.
 */
function isWorthARun(plan: Plan, than: Plan): boolean {
  const changed = changesIn(plan as unknown as JsonValue, than as unknown as JsonValue)
  if (changed.length !== 1) return changed.length > 0
  const [one, other] = changed[0]!
  if (typeof one !== 'number' || typeof other !== 'number') return true
  return Math.abs(other - one) * 4 >= Math.abs(other)
}

/** The leaf values that differ, in pairs. */
function changesIn(one: JsonValue | undefined, other: JsonValue | undefined): [unknown, unknown][] {
  if (one === other) return []
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return [[one, other]]
  const members = new Set([...Object.keys(one), ...Object.keys(other)])
  const at = (data: object, member: string) => (data as { readonly [member: string]: JsonValue | undefined })[member]
  return [...members].flatMap((member) => changesIn(at(one, member), at(other, member)))
}

/** Removes every fault and message that is not needed. Returns true if one was removed. */
export async function leaveOutParts(search: Search): Promise<boolean> {
  const faults = await leaveOutOf('faults', search)
  return (await leaveOutOf('messages', search)) || faults
}

export function leaveOutOf(list: 'faults' | 'messages', search: Search): Promise<boolean> {
  return leaveOut<unknown>(search.plan[list], async (some) => {
    const left = (search.plan[list] as readonly unknown[]).filter((part) => !some.includes(part))
    if (list === 'messages' && left.length === 0) return false
    return search.acceptFewer({ ...search.plan, [list]: left })
  })
}

/**
 * Removes consumers that no fault targets, the last ones first. Returns true if one was removed.
 */
export async function leaveOutConsumers(search: Search, least: number): Promise<boolean> {
  let found = false
  for (let slot = search.plan.consumers - 1; slot >= 0 && search.plan.consumers > least; slot--) {
    const plan = withoutSlot(search.plan, slot)
    if (plan !== null && (await search.acceptFewer(plan))) found = true
  }
  return found
}

/**
 * The plan without a consumer; later slots move up by one. Null if a fault targets the consumer.
 */
function withoutSlot(plan: Plan, gone: number): Plan | null {
  const slotsOf = ({ when, consumer, machine }: PlannedFault) => [
    ...(when.at === 'time' ? [] : [when.consumer]),
    ...[consumer, machine].filter((slot): slot is number => typeof slot === 'number'),
  ]
  if (plan.faults.some((fault) => slotsOf(fault).includes(gone))) return null
  const moved = (slot: unknown) => (typeof slot === 'number' && slot > gone ? slot - 1 : slot)
  const faults = plan.faults.map((fault) => {
    const { when, consumer, machine } = fault
    return {
      ...fault,
      ...(when.at === 'time' ? {} : { when: { ...when, consumer: moved(when.consumer) as number } }),
      ...(consumer === undefined ? {} : { consumer: moved(consumer) as number }),
      ...(machine === undefined ? {} : { machine: moved(machine) as number }),
    }
  })
  return { ...plan, consumers: plan.consumers - 1, faults }
}
