/** A property of fast-check: no run of a layer under a scenario breaks an invariant. */
import * as fc from 'fast-check'
import type { NamedPair, PlannedRun } from '../contract/api/planned-run.ts'
import type { SinkKind } from '../contract/api/sink.ts'
import type { ViolationText } from '../contract/results/results.ts'
import { RunThread } from './run-thread.ts'
import { nameOf } from './simulate.ts'

/**
 * Options of `onceProperty`.
 * @example
 * ```ts
 * import type { PropertyOptions } from 'onceproof'
 *
 * const options: PropertyOptions = { sink: 'keyed' }
 * ```
 */
export interface PropertyOptions {
  /**
   * The kind of sink. Default: `plain`, or the first kind that the layer declares if it cannot use
   * `plain`.
   */
  readonly sink?: SinkKind
}

/**
 * The cause of fast-check's error if a run breaks an invariant.
 * @example
 * ```ts
 * import { BrokenRunError, fc, onceProperty } from 'onceproof'
 *
 * const { errorInstance } = await fc.check(onceProperty('001-get-set', 'key-reuse'), { seed: 1 })
 * if (errorInstance instanceof BrokenRunError) console.log(errorInstance.violation.replay)
 * ```
 */
export class BrokenRunError extends Error {
  override readonly name = 'BrokenRunError'
  constructor(
    message: string,
    /** The violation, with the token of the run and the command that replays it. */
    readonly violation: ViolationText,
  ) {
    super(message)
  }
}

/**
 * A property for fast-check. Layer and scenario are given as an id, a path or a `file:` URL.
 * fast-check draws the runs, shrinks a run that breaks, and replays it by `seed` and `path`. Each
 * run is judged as in a campaign. A shrunk run must break in the same way. A run that cannot be
 * judged also fails. The property does not require goals; use `simulate` for that. fast-check's
 * runner rejects with a SimulationError if the layer cannot be played under the scenario.
 * @throws TypeError
 * @example
 * ```ts
 * import { fc, onceProperty } from 'onceproof'
 *
 * const property = onceProperty('reference', 'only-crashes')
 * const { failed } = await fc.check(property, { numRuns: 5, seed: 1 })
 * console.log(failed) // false
 * ```
 */
export function onceProperty(
  implementation: string | URL,
  scenario: string | URL,
  options: PropertyOptions = {},
): fc.IAsyncPropertyWithHooks<[PlannedRun]> {
  const unknown = Object.keys(options).find((name) => name !== 'sink')
  if (unknown !== undefined) throw new TypeError(`onceProperty: unknown option ${unknown}; known: sink`)
  const runs = new PlannedRuns({
    implementation: nameOf(implementation, 'onceProperty'),
    scenario: nameOf(scenario, 'onceProperty'),
    ...options,
  })
  return fc.asyncProperty(runs, (run) => runs.check(run))
}

/** The node of a run in the tree of the thread that drew it. */
interface Place {
  readonly thread: RunThread
  readonly node: number
}

class PlannedRuns extends fc.Arbitrary<PlannedRun> {
  /** For each shrunk run: the drawn run that it comes from. */
  readonly #drawn = new WeakMap<PlannedRun, PlannedRun>()
  /**
   * For each drawn run: how the run broke, or how the first of its shrunk runs that was played
   * broke.
   */
  readonly #ways = new WeakMap<PlannedRun, string>()
  /** Drawn runs that could not be judged. They are not shrunk. */
  readonly #unjudged = new WeakSet<PlannedRun>()

  constructor(private readonly pair: NamedPair) {
    super()
  }

  override generate(random: fc.Random, bias: number | undefined): fc.Value<PlannedRun> {
    const thread = RunThread.current
    const { run, node } = thread.askNow({ kind: 'draw', pair: this.pair, seed: random.nextInt(0, 0x7fffffff), bias })
    return new fc.Value(run, { thread, node } satisfies Place)
  }

  override canShrinkWithoutContext(_: unknown): _ is PlannedRun {
    return false
  }

  override shrink(run: PlannedRun, context: unknown): fc.Stream<fc.Value<PlannedRun>> {
    return this.#unjudged.has(run) ? fc.Stream.nil() : fc.stream(this.#smaller(run, context as Place))
  }

  *#smaller(run: PlannedRun, { thread, node }: Place): IterableIterator<fc.Value<PlannedRun>> {
    for (let at = 0; !thread.isOver; at++) {
      const smaller = thread.askNow({ kind: 'shrink', node, at })
      if (smaller === null) return
      this.#drawn.set(smaller.run, this.#drawn.get(run) ?? run)
      yield new fc.Value(smaller.run, { thread, node: smaller.node } satisfies Place)
    }
  }

  /** @throws BrokenRunError, SimulationError */
  async check(run: PlannedRun): Promise<void> {
    const drawn = this.#drawn.get(run) ?? run
    const way = this.#ways.get(drawn)
    try {
      const played = await RunThread.current.ask({ kind: 'play', pair: this.pair, run, way })
      if (played.verdict === 'holds' || played.verdict === 'otherwise') return
      if (played.verdict === 'unknown') throw new Error(`this run has no verdict: ${played.reason}`)
      this.#ways.set(drawn, played.way)
      throw new BrokenRunError(played.text, played.violation)
    } catch (error) {
      if (error instanceof BrokenRunError) throw error
      // Shrinking skips runs that cannot be judged.
      if (way !== undefined) return
      this.#unjudged.add(run)
      throw error
    }
  }
}
