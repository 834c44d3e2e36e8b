/**
 * Rounds times, because 1000 is easier to read than 983. No time leaves the range in which the
 * scenario draws it.
 */
import type { JsonValue } from '../../../contract/api/json.ts'
import type { Plan } from '../../../contract/api/plan.ts'
import type { Search } from './search.ts'

/** The minimum and maximum of each time in milliseconds, by its name. */
export type Ranges = ReadonlyMap<string, readonly [least: number, most: number]>

/** One time in a plan. */
interface Time {
  /** The name of the time, such as `leaseMs` or `pause healAfterMs`. */
  readonly name: string
  readonly place: readonly (string | number)[]
  readonly ms: number
}

/**
 * The ranges that occur in drawn plans. They nearly cover the full ranges of the scenario, and
 * never exceed them.
 */
export function rangesOf(plans: readonly Plan[]): Ranges {
  const ranges = new Map<string, readonly [number, number]>()
  for (const { name, ms } of plans.flatMap(timesOf)) {
    const [least, most] = ranges.get(name) ?? [ms, ms]
    ranges.set(name, [Math.min(least, ms), Math.max(most, ms)])
  }
  return ranges
}

/** Returns true if some time became rounder. */
export async function roundTimes(search: Search, ranges: Ranges): Promise<boolean> {
  let found = false
  for (const { name, place, ms } of timesOf(search.plan)) {
    const [least, most] = ranges.get(name) ?? [ms, ms]
    for (const round of rounder(ms)) {
      if (round < least || round > most || search.spent) continue
      if (!(await search.acceptPlan(withValue(search.plan as unknown as JsonValue, place, round)))) continue
      found = true
      break
    }
  }
  return found
}

/**
 * Candidates with one significant digit, then with two. For each number of digits, the smaller
 * candidate comes first.
 */
function rounder(ms: number): number[] {
  const digits = String(Math.abs(ms)).length
  const steps = [digits - 1, digits - 2].filter((zeros) => zeros > 0).map((zeros) => 10 ** zeros)
  const near = steps.flatMap((step) =>
    ms % step === 0 ? [] : [Math.floor(ms / step) * step, Math.ceil(ms / step) * step],
  )
  const first = steps.findIndex((step) => ms % step === 0)
  return first === 0 ? [] : near
}

/** The times of the workload and the faults, without derived times and times of the deployment. */
function timesOf(plan: Plan): Time[] {
  const { faults, messages, retentionMs: _, sinkRemembersMs: __, redis: ___, ...rest } = plan
  return [
    ...numbersIn(rest as unknown as JsonValue, [], ''),
    ...messages.flatMap(({ publishAtMs: ms }, at) => [
      { name: 'publishAtMs', place: ['messages', at, 'publishAtMs'], ms },
    ]),
    ...faults.flatMap(({ near: _near, ...fault }, at) =>
      numbersIn(fault as unknown as JsonValue, ['faults', at], `${fault.kind} `),
    ),
  ]
}

function numbersIn(data: JsonValue, place: readonly (string | number)[], name: string): Time[] {
  if (typeof data !== 'object' || data === null || Array.isArray(data)) return []
  return Object.entries(data).flatMap(([member, value]) => {
    const within = [...place, member]
    if (typeof value !== 'number') return numbersIn(value as JsonValue, within, `${name}${member} `)
    return /^ms$|Ms$/.test(member) && Number.isInteger(value) ? [{ name: name + member, place: within, ms: value }] : []
  })
}

function withValue(data: JsonValue, [member, ...below]: readonly (string | number)[], value: number): Plan {
  const set = (part: JsonValue, at: readonly (string | number)[]): JsonValue => {
    const [name, ...rest] = at
    if (name === undefined) return value
    if (Array.isArray(part)) return part.map((one, index) => (index === name ? set(one, rest) : one))
    const object = part as { readonly [member: string]: JsonValue }
    return { ...object, [name]: set(object[name]!, rest) }
  }
  return set(data, [member!, ...below]) as unknown as Plan
}
