import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus'
import type { RandomGenerator } from 'pure-rand/types/RandomGenerator'
import { assert } from '../assert.ts'
import { ChoiceTrail, isStep } from './choice-trail.ts'
import { Digest, hashText } from './digest.ts'
import type { Journeys } from './journeys.ts'

/** One choice as it was made: an integer in [0, n). */
export interface MadeChoice {
  readonly stream: string
  /** The kind of decision, for reports: `latency`. */
  readonly what: string
  /**
   * The label of the command or reply that the choice concerns, or `syn`, `handshake`, … of a
   * connection; null if the stream's name is enough.
   */
  readonly about: string | null
  readonly n: number
  readonly chosen: number
}

/** The source of a run's choices. */
export interface ChoiceSource {
  readonly seed: number
  /**
   * By the name of a stream: a different seed, or the list of its choices. After the end of the
   * list, the stream always chooses 0.
   */
  readonly own?: Readonly<Record<string, number | readonly number[]>>
  /** If true, streams that `own` does not name always choose 0. */
  readonly calm?: boolean
}

/**
 * The one source of chance of a run. Every decision is a named integer from a separate stream (of a
 * link, a process, the broker), so that removing one decision does not shift all other decisions.
 * Choice 0 is always the calmest one.
 */
export class Choices {
  readonly #source: ChoiceSource
  readonly #streams = new Map<string, ChoiceStream>()
  readonly digest = new Digest()
  readonly trail = new ChoiceTrail()
  /** Called with each choice, if choices are recorded. */
  observe: ((choice: MadeChoice) => void) | null = null
  /** If true, streams that are made from now on keep their choices (`chosen`). */
  keeps = false
  /** Records the messages of the run; null if they are not recorded. */
  journeys: Journeys | null = null

  constructor(source: ChoiceSource) {
    this.#source = source
  }

  /** The stream of that name. The same name always gives the same stream. */
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

  /**
   * The choices of each stream in order, by its name. Numbers drawn by `random` are not among them.
   */
  chosen(): Record<string, readonly number[]> {
    return Object.fromEntries([...this.#streams].map(([name, { chosen }]) => [name, chosen ?? []]))
  }
}

export class ChoiceStream {
  readonly #names: ChoiceNames
  /** The number of choices so far, without those of `random`. */
  made = 0
  /** The choices of the stream; null if they are not kept. */
  readonly chosen: number[] | null

  /** `list`: the choices to make instead of the generator's. */
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
   * An integer in [0, n). `what` names the decision for reports, `about` the command that it
   * concerns. If a number of the list is n or more, as after an edit of the layer, n - 1 is chosen.
   */
  choose(what: string, n: number, about: string | null = null): number {
    const chosen = this.list === null ? this.#drawn(n) : Math.min(this.list[this.made] ?? 0, n - 1)
    assert(Number.isInteger(chosen), 'a choice is an integer')
    assert(chosen >= 0 && chosen < n, 'a choice is within its range')
    this.made++
    this.#note(what, chosen, about)
    this.chosen?.push(chosen)
    if (this.choices.observe !== null) this.choices.observe({ stream: this.name, what, about, n, chosen })
    return chosen
  }

  /**
   * A random integer in [0, n), even in a calm stream. Example: a restarted server must use another
   * id than before. Lists do not contain these numbers; they come from the run's seed.
   */
  random(what: string, n: number): number {
    const chosen = this.#drawn(n)
    assert(Number.isInteger(n) && chosen < n, 'a random number is drawn from a range that is not empty')
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

  /** Cached, because names are needed often, and a stream usually has few. */
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

/** The names of one stream: by kind of decision, then by command. */
type ChoiceNames = Map<string, Map<string | null, ChoiceName>>

/**
 * The names of each stream. They are kept for all runs, because they are pure functions of texts.
 */
const namesOfStreams = new Map<string, ChoiceNames>()
/**
 * Limits the caches. Usually there are as many streams as consumers and machines, and as many
 * commands as scripts, but a layer that sends ever new scripts must not fill the memory.
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
