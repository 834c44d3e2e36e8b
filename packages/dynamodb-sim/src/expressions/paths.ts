import { type AttributeValue, type Item, memberOf } from '../values/attribute-value.ts'
import type { Path } from './operands.ts'

/** A path with resolved names: members of maps and indexes of lists. */
export type Way = readonly (string | number)[]

/** Resolves the names of a path. All its placeholders must be defined. */
export function wayOf(path: Path): Way {
  return path.steps.map((step) => (typeof step === 'number' ? step : step.name!))
}

/** Prints a path as error messages contain it. */
export function wayText(way: Way): string {
  return `[${way.map((step) => (typeof step === 'number' ? `[${step}]` : step)).join(', ')}]`
}

export function sameWay(left: Way, right: Way): boolean {
  return left.length === right.length && left.every((step, at) => step === right[at])
}

/** The value at the path; undefined if the item has none. */
export function valueAt(way: Way, item: Item): AttributeValue | undefined {
  return way.reduce<AttributeValue | undefined>((value, step) => stepInto(value, step), { M: item })
}

export function stepInto(value: AttributeValue | undefined, step: string | number): AttributeValue | undefined {
  if (typeof step === 'number') return value?.L?.[step]
  return value?.M === undefined ? undefined : memberOf(value.M, step)
}

/**
 * Messages for the first two paths that overlap, and for the first two that conflict; null if there
 * are no such paths.
 */
export function clash(ways: readonly Way[]): { readonly overlap: string | null; readonly conflict: string | null } {
  let conflict: string | null = null
  for (const [at, second] of ways.entries())
    for (const first of ways.slice(0, at)) {
      const reported = `must remove or rewrite one of these paths; path one: ${wayText(first)}, path two: ${wayText(second)}`
      const parting = first.findIndex((step, index) => index < second.length && step !== second[index])
      if (parting === -1) return { overlap: `Two document paths overlap with each other; ${reported}`, conflict }
      if (typeof first[parting] !== typeof second[parting])
        conflict ??= `Two document paths conflict with each other; ${reported}`
    }
  return { overlap: null, conflict }
}

/**
 * The parts of the item at these paths, within their maps and lists. Lists contain only the
 * selected members.
 */
export function projected(ways: readonly Way[], item: Item): Item {
  return members(ways, { M: item }).M!
}

function members(ways: readonly Way[], value: AttributeValue): AttributeValue {
  const byStep = new Map<string | number, Way[]>()
  for (const [step, ...rest] of ways) {
    const further = byStep.get(step!)
    if (further === undefined) byStep.set(step!, [rest])
    else further.push(rest)
  }
  const found = [...byStep].flatMap(([step, further]) => {
    const there = stepInto(value, step)
    if (there === undefined) return []
    if (further.some((way) => way.length === 0)) return [[step, there] as const]
    const inside = further.filter((way) => valueAt(['', ...way], { '': there }) !== undefined)
    return inside.length === 0 ? [] : [[step, members(inside, there)] as const]
  })
  if (value.L === undefined) return { M: Object.fromEntries(found) }
  return { L: found.sort(([left], [right]) => Number(left) - Number(right)).map(([, member]) => member) }
}
