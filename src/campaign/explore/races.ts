/**
 * The races of a run, and the choices that make the other step win (Flanagan and Godefroid, Dynamic
 * partial-order reduction, POPL 2005; Abdulla et al., Optimal dynamic partial order reduction, POPL
 * 2014).
 */
import { latencyOf, mostLatency } from 'virtual-node/network'
import type { ChoiceLists } from '../token/run-choices.ts'
import type { RunResult } from '../types.ts'
import type { PlayedOrder, Step } from './steps.ts'

/** Two steps that used the same object, and could have come in the other order. */
export interface Race {
  readonly first: Step
  readonly second: Step
}

/** The races of a run without those that follow from others. */
export function racesOf({ steps }: PlayedOrder): Race[] {
  return steps.flatMap((second) =>
    second.direct
      .filter((index) => !second.sentAfter.has(index))
      .filter((index) => second.direct.every((other) => other === index || !steps[other]!.before.has(index)))
      .map((index) => ({ first: steps[index]!, second })),
  )
}

/**
 * The choices of a run in which the second step comes before the first one, and everything that did
 * not depend on the first one is as before. Null if no latency is that long.
 */
export function reversed(
  { first, second }: Race,
  { sentAfter }: PlayedOrder,
  { choices, journeys }: Pick<RunResult, 'choices' | 'journeys'>,
): ChoiceLists | null {
  const arrivalUs = second.journey.arrivedUs! + 1
  const chosen = leastChoice(arrivalUs - first.journey.sentUs)
  // A message of a process to itself has a fixed latency, which is not chosen.
  if (chosen === null || first.journey.nth < 0) return null
  const sent = new Map(journeys!.sent.map((journey) => [`${journey.stream}${journey.nth}`, journey]))
  const lists: Record<string, number[]> = {}
  const counts = new Map<string, number>()
  /** Streams of which a message is left out: the numbers of later messages are not known. */
  const shifted = new Set<string>()
  for (const choice of choices!) {
    const { stream, atUs } = choice
    const nth = counts.get(stream) ?? 0
    counts.set(stream, nth + 1)
    const journey = sent.get(`${stream}${nth}`)
    if (journey === first.journey) {
      ;(lists[stream] ??= []).push(chosen)
      continue
    }
    const must = journey && sentAfter.get(journey)
    // The messages of servers to each other always have the shortest latency.
    if (journey !== undefined && must === undefined) continue
    const isLater = must?.has(first.index) === true
    if (isLater || (journey === undefined && atUs > arrivalUs)) shifted.add(stream)
    if (isLater || (shifted.has(stream) && atUs > arrivalUs)) continue
    ;(lists[stream] ??= []).push(choice.chosen)
  }
  return lists
}

/** The smallest choice with at least this latency. Null if all choices are shorter. */
function leastChoice(latencyUs: number): number | null {
  for (let chosen = 0; chosen < mostLatency; chosen++) if (latencyOf(chosen) >= latencyUs) return chosen
  return null
}
