/** Runs of a property test: drawn like a scenario's plans, shrunk by fast-check. */
import * as fc from 'fast-check'
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus'
import type { DrawnNode, PlannedRun } from '../../contract/api/planned-run.ts'
import type { Scenario } from '../../contract/api/scenario.ts'

interface Node {
  readonly runs: fc.Arbitrary<PlannedRun>
  readonly value: fc.Value<PlannedRun>
  /** An iterator over the smaller runs, and the number of runs that were taken from it. */
  smaller: { readonly left: IterableIterator<fc.Value<PlannedRun>>; taken: number } | null
}

/**
 * Stores fast-check's context of each run under a number. The context cannot leave this thread, but
 * the number can.
 */
export class RunTree {
  readonly #nodes: Node[] = []

  draw(runs: fc.Arbitrary<PlannedRun>, seed: number, bias: number | undefined): DrawnNode {
    return this.#add(runs, runs.generate(new fc.Random(xoroshiro128plus(seed)), bias))
  }

  /**
   * The smaller run with the number `at`; null after the last smaller run, and for a run of another
   * tree.
   */
  shrink(node: number, at: number): DrawnNode | null {
    const from = this.#nodes[node]
    if (from === undefined) return null
    const { runs, value } = from
    if (from.smaller === null || from.smaller.taken > at)
      from.smaller = { left: runs.shrink(value.value, value.context)[Symbol.iterator](), taken: 0 }
    for (; ; from.smaller.taken++) {
      const next = from.smaller.left.next()
      if (next.done) return null
      if (from.smaller.taken < at) continue
      from.smaller.taken++
      return this.#add(runs, next.value)
    }
  }

  #add(runs: fc.Arbitrary<PlannedRun>, value: fc.Value<PlannedRun>): DrawnNode {
    return { node: this.#nodes.push({ runs, value, smaller: null }) - 1, run: value.value }
  }
}

/** Draws plans in the same proportions as a campaign. The choice seed is not shrunk. */
export function runsOf({ plans, aimed }: Pick<Scenario, 'plans' | 'aimed'>): fc.Arbitrary<PlannedRun> {
  const draws = aimed?.draws ?? []
  const all =
    aimed === undefined
      ? plans
      : fc.oneof(
          { arbitrary: plans, weight: (aimed.every - 1) * draws.length },
          ...draws.map((draw) => ({ arbitrary: draw.plans, weight: 1 })),
        )
  const choiceSeed = fc.noShrink(fc.noBias(fc.integer({ min: 0, max: 2 ** 32 - 1 })))
  return fc.record({ plan: all, choiceSeed }, { noNullPrototype: true })
}
