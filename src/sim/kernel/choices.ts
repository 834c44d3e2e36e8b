import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus'
import type { RandomGenerator } from 'pure-rand/types/RandomGenerator'
import { Digest, hashText } from './digest.ts'

/**
 * The one source of chance of a run. Every decision is an integer with a name, drawn from a stream of its own
 * (a link's, a process's, the broker's), so that removing one decision does not shift all others.
 * Choice 0 is always the calmest one.
 */
export class Choices {
  readonly #seed: number
  readonly #own: Readonly<Record<string, number>>
  readonly #streams = new Map<string, ChoiceStream>()
  readonly digest = new Digest()
  /** How many choices the run made so far. */
  count = 0
  /** Called with each choice, where choices are recorded. */
  observe: ((stream: string, what: string, n: number, chosen: number) => void) | null = null

  /** `own`: the seeds of streams that are not to come from the run's seed, by name. */
  constructor(seed: number, own: Readonly<Record<string, number>> = {}) {
    this.#seed = seed
    this.#own = own
  }

  /** The stream of that name; the same one whenever it is asked for. */
  stream(name: string): ChoiceStream {
    let stream = this.#streams.get(name)
    if (stream === undefined) {
      stream = new ChoiceStream(this, name, xoroshiro128plus(hashText(name, this.#own[name] ?? this.#seed)))
      this.#streams.set(name, stream)
    }
    return stream
  }
}

export class ChoiceStream {
  constructor(
    readonly choices: Choices,
    readonly name: string,
    readonly generator: RandomGenerator,
  ) {}

  /** An integer in [0, n). `what` names the decision for a person. */
  choose(what: string, n: number): number {
    const chosen = Math.floor(((this.generator.next() >>> 0) / 0x1_0000_0000) * n)
    const { choices } = this
    choices.count++
    choices.digest.int(chosen)
    if (choices.observe !== null) choices.observe(this.name, what, n, chosen)
    return chosen
  }
}
