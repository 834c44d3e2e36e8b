/**
 * Sets choices to 0, the calmest value: first all choices, then the choices of a stream, then
 * halves of a stream, down to single choices.
 */
import { type ChoiceLists, withoutCalm } from '../../token/run-choices.ts'
import { leaveOut } from './leave-out.ts'
import type { Search } from './search.ts'

interface Place {
  readonly stream: string
  readonly at: number
}

/** Returns true if some choice became calmer. */
export async function shrinkChoices(search: Search): Promise<boolean> {
  let found = false
  while (search.made !== null && !search.spent && (await oncePerStream(search))) found = true
  return found
}

async function oncePerStream(search: Search): Promise<boolean> {
  if (await calmed(search, placesOf(search.made!))) return true
  const streams = Object.entries(search.made!).sort(([, a], [, b]) => b.length - a.length)
  let found = false
  for (const [stream] of streams) {
    const places = placesOf(search.made!).filter((place) => place.stream === stream)
    if (await leaveOut(places, (some) => calmed(search, some))) found = true
  }
  return found
}

function calmed(search: Search, places: readonly Place[]): Promise<boolean> {
  const lists = new Map(Object.entries(search.made!).map(([stream, list]) => [stream, [...list]]))
  for (const { stream, at } of places) {
    const list = lists.get(stream)
    if (list?.[at] !== undefined) list[at] = 0
  }
  const choices = withoutCalm(Object.fromEntries(lists))
  return search.accept({ plan: search.plan, choices: { ...search.choices, choices } })
}

function placesOf(lists: ChoiceLists): Place[] {
  return Object.entries(lists).flatMap(([stream, list]) =>
    list.flatMap((chosen, at) => (chosen === 0 ? [] : [{ stream, at }])),
  )
}
