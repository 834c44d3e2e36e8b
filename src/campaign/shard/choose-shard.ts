/** Assigns a campaign's pairs to shards. The assignment depends only on the list and the costs. */

/** `index` counts from 1. */
export interface Shard {
  readonly index: number
  readonly of: number
}

export interface Costed<T> {
  readonly item: T
  /** The name that identifies the item in the campaign. */
  readonly name: string
  /** The cost, in any unit that is the same for all items. */
  readonly cost: number
}

/**
 * The items of a shard, in their order. The assignment is greedy: the most expensive item first,
 * each to the shard with the lowest cost so far.
 */
export function itemsOf<T>(all: readonly Costed<T>[], { index, of }: Shard): T[] {
  const loads = Array.from({ length: of }, () => 0)
  const mine = new Set<Costed<T>>()
  for (const one of [...all].sort(dearestFirst)) {
    const least = loads.indexOf(Math.min(...loads))
    loads[least]! += one.cost
    if (least === index - 1) mine.add(one)
  }
  return all.filter((one) => mine.has(one)).map(({ item }) => item)
}

function dearestFirst(a: Costed<unknown>, b: Costed<unknown>): number {
  return b.cost - a.cost || (a.name < b.name ? -1 : a.name > b.name ? 1 : 0)
}
