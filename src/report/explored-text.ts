/** What the exploration at the start of a campaign played, in a phrase. */
import type { ExploredLayer } from '../contract/results/results.ts'
import { counted, grouped, sizeText } from './figures.ts'

/**
 * `explored: every order of 2 deliveries without faults (24), and one order for each of 133 places
 * of 1 fault`
 */
export function exploredText({ deliveries, levels, smallest }: ExploredLayer): string {
  const of = counted(deliveries, 'delivery', 'deliveries')
  const texts = levels.map(({ faults, orders, complete, placements, placementsPlayed }) => {
    const how = faults === 0 ? 'without faults' : `with ${counted(faults, 'fault')}`
    if (complete) return `every order of ${of} ${how} (${grouped(orders)})`
    if (faults === 0) return `${grouped(orders)} of the orders of ${of} ${how}`
    const places = placementsPlayed < placements ? `${placementsPlayed} of ${placements}` : `each of ${placements}`
    return `one order for ${places} places of ${counted(faults, 'fault')}`
  })
  if (smallest === undefined) return `explored: ${texts.join(', and ')}`
  return `explored: the smallest order that breaks it has ${sizeText(smallest)}`
}
