import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus'
import type { RandomGenerator } from 'pure-rand/types/RandomGenerator'
import { assert } from '../assert.ts'
import { ChoiceTrail, isStep } from './choice-trail.ts'
import { Digest, hashText } from './digest.ts'

/** One choice as it was made: an integer in [0, n). */
export interface MadeChoice {
  readonly stream: string
  /** What was chosen, for a person: `latency`. */
  readonly what: string
  /**
   * The label of the command that it was chosen for, or of a reply; `syn`, `handshake`, …, of a
   * connection; null where the stream says enough.
   */
  readonly about: string | null
  readonly n: number
  readonly chosen: number
}

/** What a run chooses by. */
export interface ChoiceSource {
  readonly seed: number
  /**
   * By the name of a stream: a seed of its own, or what it chooses, one after the other, and calm
   * after that.
   */
  readonly own?: Readonly<Record<string, number | readonly number[]>>
  /** Streams that `own` does not name choose 0 throughout. */
  readonly calm?: boolean
}

/**
 * The one source of chance of a run. Every decision is an integer with a name, drawn from a stream
 * of its own (a link's, a process's, the broker's), so that removing one decision does not shift
 * all others. Choice 0 is always the calmest one.
 */
export class Choices {
  readonly #source: ChoiceSource
  readonly #streams = new Map<string, ChoiceStream>()
  readonly digest = new Digest()
  readonly trail = new ChoiceTrail()
  /** Called with each choice, where choices are recorded. */
  observe: ((choice: MadeChoice) => void) | null = null
  /** Whether streams that are made from now on keep what they choose (`chosen`). */
  keeps = false

  constructor(source: ChoiceSource) {
    this.#source = source
  }

  /** The stream of that name; the same one whenever it is asked for. */
  stream(name: string): ChoiceStream {
    let stream = this.#streams.get(name)
    if (stream === undefined) {
      const { seed, own = {}, calm = false } = this.#source
      const given = Object.hasOwn(own, name) ? own[name] : undefined
      const generator = xoroshiro128plus(hashText(name, typeof given === 'number' ? given : seed))
      const list = typeof given === 'object' ? given : given === undefined && calm ? [] : null
      this.#streams.set(name, (stream = new ChoiceStream(this, name, generator, list)))
    }
    return stream
  }

  /** By the name of a stream, what it has chosen, in order; what is random in itself left out. */
  chosen(): Record<string, readonly number[]> {
    return Object.fromEntries([...this.#streams].map(([name, { chosen }]) => [name, chosen ?? []]))
  }
}

export class ChoiceStream {
  readonly #names: ChoiceNames
  #made = 0
  /** What it has chosen; null where nobody wants to know. */
  readonly chosen: number[] | null

  /** `list`: what it chooses, in place of what the generator gives. */
  constructor(
    readonly choices: Choices,
    readonly name: string,
    readonly generator: RandomGenerator,
    private readonly list: readonly number[] | null,
  ) {
    this.chosen = choices.keeps ? [] : null
    this.#names = namesOf(name)
  }

  /**
   * An integer in [0, n). `what` names the decision for a person, `about` the command that it is
   * for. Where a list has a number that is not below n, as after an edit of the layer, it is n - 1.
   */
  choose(what: string, n: number, about: string | null = null): number {
    const chosen = this.list === null ? this.#drawn(n) : Math.min(this.list[this.#made++] ?? 0, n - 1)
    assert(Number.isInteger(chosen), 'a choice is an integer')
    assert(chosen >= 0 && chosen < n, 'a choice is within its range')
    this.#note(what, chosen, about)
    this.chosen?.push(chosen)
    if (this.choices.observe !== null) this.choices.observe({ stream: this.name, what, about, n, chosen })
    return chosen
  }

  /**
   * An integer in [0, n) of what is random in itself and is never calm: the ids that a server gives
   * itself must differ from those that it had before it was restarted. No list has these numbers;
   * they come from the run's seed.
   */
  random(what: string, n: number): number {
    const chosen = this.#drawn(n)
    assert(Number.isInteger(n) && chosen < n, 'a random number is drawn from a range that has one')
    this.#note(what, chosen, null)
    return chosen
  }

  #drawn(n: number): number {
    return Math.floor(((this.generator.next() >>> 0) / 0x1_0000_0000) * n)
  }

  #note(what: string, chosen: number, about: string | null): void {
    const { choices } = this
    const { hash, step } = this.#nameOf(what, about)
    choices.trail.add(hash, chosen, step)
    choices.digest.int(chosen)
  }

  /** Each is needed often, and a stream has few as a rule. */
  #nameOf(what: string, about: string | null): ChoiceName {
    let names = this.#names.get(what)
    if (names === undefined) this.#names.set(what, (names = new Map()))
    let name = names.get(about)
    if (name === undefined) {
      const hash = hashText(`${this.name} ${what} ${about ?? ''}`, 0)
      if (names.size === mostNames) names.clear()
      names.set(about, (name = { hash, step: isStep(this.name, about) }))
    }
    return name
  }
}

interface ChoiceName {
  readonly hash: number
  readonly step: boolean
}

/** Of one stream: by what is chosen, then by the command that it is chosen for. */
type ChoiceNames = Map<string, Map<string | null, ChoiceName>>

/**
 * By the name of a stream: pure functions of names, which each run has again, so kept for all runs.
 */
const namesOfStreams = new Map<string, ChoiceNames>()
/**
 * Streams are as many as consumers and machines, and commands as a layer has scripts: one that
 * makes ever others must not fill it.
 */
const mostNames = 1000

function namesOf(stream: string): ChoiceNames {
  let names = namesOfStreams.get(stream)
  if (names === undefined) {
    if (namesOfStreams.size === mostNames) namesOfStreams.clear()
    namesOfStreams.set(stream, (names = new Map()))
  }
  return names
}
