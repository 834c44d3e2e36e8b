/** What a run chooses by: what its seed gives, or lists of choices by stream. */
import type { ChoiceSource, MadeChoice } from 'virtual-node/kernel'

/**
 * By the name of a stream, what it chooses, one after the other. Past the end of a list, and in
 * streams without one, every choice is 0, the calmest. No list ends in 0.
 */
export type ChoiceLists = Readonly<Record<string, readonly number[]>>

export interface RunChoices {
  /** The random numbers of the layer itself come from it too, whether there are lists or not. */
  readonly choiceSeed: number
  /** Absent: every stream chooses as the seed has it. */
  readonly choices?: ChoiceLists
}

export function sourceOf({ choiceSeed, choices }: RunChoices): ChoiceSource {
  return choices === undefined ? { seed: choiceSeed } : { seed: choiceSeed, own: choices, calm: true }
}

/** What such a source came from. */
export function choicesOf({ seed, own, calm }: ChoiceSource): RunChoices {
  return calm === true ? { choiceSeed: seed, choices: own as ChoiceLists } : { choiceSeed: seed }
}

/** The same choices as lists, with the zeros at their ends. */
export function wholeListsOf(made: readonly MadeChoice[]): ChoiceLists {
  const lists = new Map<string, number[]>()
  for (const { stream, chosen } of made) {
    const list = lists.get(stream)
    if (list === undefined) lists.set(stream, [chosen])
    else list.push(chosen)
  }
  return Object.fromEntries(lists)
}

/**
 * Without the zeros at the end of lists, and without lists of nothing else; streams in the order of
 * their names.
 */
export function withoutCalm(lists: ChoiceLists): ChoiceLists {
  const short = Object.entries(lists).map(
    ([stream, list]) => [stream, list.slice(0, list.findLastIndex((chosen) => chosen !== 0) + 1)] as const,
  )
  return Object.fromEntries(short.filter(([, list]) => list.length > 0).sort(([a], [b]) => (a < b ? -1 : 1)))
}
