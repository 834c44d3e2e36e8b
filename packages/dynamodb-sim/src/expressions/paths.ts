import { type AttributeValue, type Item, memberOf } from '../values/attribute-value.ts'
import type { Path } from './operands.ts'

/** A path whose names are known: members of maps and indexes of lists. */
export type Way = readonly (string | number)[]

/** Of a path that was checked: every placeholder in it has a name. */
export function wayOf(path: Path): Way {
  return path.steps.map((step) => (typeof step === 'number' ? step : step.name!))
}

/** As messages print it. */
export function wayText(way: Way): string {
  return `[${way.map((step) => (typeof step === 'number' ? `[${step}]` : step)).join(', ')}]`
}

export function sameWay(left: Way, right: Way): boolean {
  return left.length === right.length && left.every((step, at) => step === right[at])
}

/** What stands there in the item; undefined where nothing does. */
export function valueAt(way: Way, item: Item): AttributeValue | undefined {
  return way.reduce<AttributeValue | undefined>((value, step) => stepInto(value, step), { M: item })
}

export function stepInto(value: AttributeValue | undefined, step: string | number): AttributeValue | undefined {
  if (typeof step === 'number') return value?.L?.[step]
  return value?.M === undefined ? undefined : memberOf(value.M, step)
}

/** The first two of the paths that cannot stand in one expression, and why; null where all can. */
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
 * What of the item stands at these paths, in maps and lists like its own; lists without the members
 * left out.
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
