/** The orders that were played, and what they begin with. */
import type { Race } from './races.ts'
import { LastUses, type PlayedOrder, type Step } from './steps.ts'

/** The first steps of an order, by their numbers. */
export type Beginning = readonly number[]

/**
 * Gives a number to each step together with all that happened before it. Two orders differ only in
 * independent steps if they have the same numbers. An order begins with some steps if it has all of
 * their numbers.
 */
export class PlayedOrders {
  readonly #numbers = new Map<string, number>()
  readonly #ordersWith: Set<number>[] = []
  readonly #names = new Set<string>()

  /**
   * False if the order was known. `replies`: orders with the same steps differ if these texts do.
   */
  add({ steps }: PlayedOrder, replies: string): boolean {
    const numbers = this.#numbersOf(steps)
    const name = `${numbers.sort((a, b) => a - b).join()} ${replies}`
    if (this.#names.has(name)) return false
    for (const number of numbers) (this.#ordersWith[number] ??= new Set()).add(this.#names.size)
    this.#names.add(name)
    return true
  }

  /** What each order begins with that has the second step of the race without the first one. */
  beginningOf({ first, second }: Race, { steps }: PlayedOrder): Beginning {
    return this.#numbersOf([...steps.slice(0, second.index).filter(({ before }) => !before.has(first.index)), second])
  }

  /** True if a played order begins like that. */
  has(beginning: Beginning): boolean {
    const sets = beginning.map((number) => this.#ordersWith[number] ?? noOrders)
    const [rarest, ...others] = sets.sort((a, b) => a.size - b.size)
    for (const order of rarest ?? noOrders) if (others.every((set) => set.has(order))) return true
    return false
  }

  #numbersOf(steps: readonly Step[]): number[] {
    const numberOf = new Map<number, number>()
    const uses = new LastUses()
    return steps.map((step) => {
      const after = new Set([...step.causes, ...uses.before(step)].map((one) => numberOf.get(one)!))
      const text = `${step.name} ${[...after].sort((a, b) => a - b).join()}`
      const number = this.#numbers.get(text) ?? this.#numbers.size
      this.#numbers.set(text, number)
      numberOf.set(step.index, number)
      return number
    })
  }
}

const noOrders: ReadonlySet<number> = new Set()
