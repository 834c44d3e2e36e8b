/** The source of a run's choices: its seed, or lists of choices by stream. */
import type { ChoiceSource, MadeChoice } from 'virtual-node/kernel'

/**
 * The choices of each stream, in order. After the end of a list, and in streams without a list,
 * every choice is 0, the calmest value. No list ends in 0.
 */
export type ChoiceLists = Readonly<Record<string, readonly number[]>>

export interface RunChoices {
  /**
   * The seed of the choices. It also seeds the layer's own random numbers, with or without lists.
   */
  readonly choiceSeed: number
  /** Absent: every stream draws its choices from the seed. */
  readonly choices?: ChoiceLists
}

export function sourceOf({ choiceSeed, choices }: RunChoices): ChoiceSource {
  return choices === undefined ? { seed: choiceSeed } : { seed: choiceSeed, own: choices, calm: true }
}

/** The inverse of `sourceOf`. */
export function choicesOf({ seed, own, calm }: ChoiceSource): RunChoices {
  return calm === true ? { choiceSeed: seed, choices: own as ChoiceLists } : { choiceSeed: seed }
}

/** The choices that a run made, as lists. Zeros at the ends of the lists are kept. */
export function wholeListsOf(made: readonly MadeChoice[]): ChoiceLists {
  const lists = new Map<string, number[]>()
  for (const { stream, chosen } of made) {
    const list = lists.get(stream)
    if (list === undefined) lists.set(stream, [chosen])
    else list.push(chosen)
  }
  return Object.fromEntries(lists)
}

/** Removes zeros at the end of lists, and lists of only zeros. Sorts streams by name. */
export function withoutCalm(lists: ChoiceLists): ChoiceLists {
  const short = Object.entries(lists).map(
    ([stream, list]) => [stream, list.slice(0, list.findLastIndex((chosen) => chosen !== 0) + 1)] as const,
  )
  return Object.fromEntries(short.filter(([, list]) => list.length > 0).sort(([a], [b]) => (a < b ? -1 : 1)))
}
