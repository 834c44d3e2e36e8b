import type { IsolationSpec } from './spec.ts'

/**
 * The orders of steps to play, as step names: the orders that the specification lists, or else all
 * interleavings of the sessions, at most `most`.
 */
export function ordersOf({ permutations, sessions }: IsolationSpec, most: number): readonly (readonly string[])[] {
  if (permutations.length > 0) return permutations
  const all = [...interleaved(sessions.map(({ steps }) => steps.map(({ name }) => name)))]
  if (all.length <= most) return all
  // `most` of the interleavings are selected, evenly spread.
  return Array.from({ length: most }, (_, i) => all[Math.floor((i * all.length) / most)]!)
}

function* interleaved(queues: readonly (readonly string[])[]): Generator<readonly string[]> {
  if (queues.every((queue) => queue.length === 0)) return yield []
  for (const [at, [first, ...rest]] of queues.entries()) {
    if (first === undefined) continue
    for (const more of interleaved(queues.with(at, rest))) yield [first, ...more]
  }
}
