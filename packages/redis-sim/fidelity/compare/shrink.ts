import type { Sequence, Step } from '../step.ts'

/**
 * Removes steps while any difference remains: first half of the steps at once, then a quarter, …
 * down to single steps. `run` performs a sequence on servers without data.
 */
export async function shrink<Found extends { readonly sequence: Sequence; readonly at: number }>(
  difference: Found,
  run: (sequence: Sequence) => Promise<Found | null>,
): Promise<Found> {
  let smallest = difference
  const cut = difference.sequence.steps.slice(0, difference.at + 1)
  let steps: readonly Step[] = cut
  for (let length = Math.ceil(steps.length / 2); length >= 1; length = Math.floor(length / 2)) {
    for (let from = steps.length - length; from >= 0; from -= length) {
      const shorter = [...steps.slice(0, from), ...steps.slice(from + length)]
      const found = await run({ ...difference.sequence, steps: shorter })
      if (found === null) continue
      smallest = found
      steps = shorter.slice(0, found.at + 1)
      from = Math.min(from, steps.length)
    }
  }
  return smallest
}
