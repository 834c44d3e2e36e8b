/**
 * Which of a campaign's pairs one machine of several plays. It follows from the list and the costs
 * alone.
 */

/** `index` counts from 1, as people do. */
export interface Shard {
  readonly index: number
  readonly of: number
}

export interface Costed<T> {
  readonly item: T
  /** Names it in the campaign. */
  readonly name: string
  /** In any unit that all share. */
  readonly cost: number
}

/**
 * The shard's items in their order. The most expensive first, each goes to the shard that costs
 * least so far.
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
