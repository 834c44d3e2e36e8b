import { mixed } from './digest.ts'

/** The largest number of marks in a trail: a token has no room for more. */
const mostMarks = 160

/**
 * A fingerprint of the names and values of a run's choices, in order. At each step of a consumer,
 * the trail keeps a mark: six bits of a hash of all choices so far. Two runs made the same choices
 * up to the first mark that differs. One difference in 64 is detected one step late.
 */
export class ChoiceTrail {
  #hash = 0
  readonly #marks: number[] = []

  /** The number of steps. */
  get length(): number {
    return this.#marks.length
  }

  add(name: number, chosen: number, isStep: boolean): void {
    this.#hash = mixed(mixed(this.#hash, name), chosen)
    if (isStep) this.#marks.push(this.#hash >>> 26)
  }

  /**
   * One character for each mark. A run with many steps keeps one mark for each `strideOf` steps,
   * and the last one.
   */
  get text(): string {
    return this.#kept(this.length)
  }

  /**
   * How many steps this run has in common with a run of `of` steps and the trail `recorded`, as far
   * as marks show.
   */
  followed(recorded: string, of: number): number {
    const here = this.#kept(of)
    const left = [...recorded].findIndex((mark, at) => mark !== here[at])
    return left === -1 ? of : left * strideOf(of)
  }

  /** The marks that a run with `of` steps keeps, as far as this trail has them. */
  #kept(of: number): string {
    const stride = strideOf(of)
    return this.#marks.map((mark, at) => ((at + 1) % stride === 0 || at === of - 1 ? digits[mark] : '')).join('')
  }
}

/**
 * True if a choice is a step of the trail: one of a consumer, its links or the broker. Choices
 * between servers, and about the set-up of connections, do not count: there are many, and they are
 * rarely of interest.
 */
export function isStep(stream: string, about: string | null): boolean {
  return /^(consumer-|broker$|poison$)/.test(stream) && (about === null || !/^[a-z]/.test(about))
}

/** How many steps one mark stands for, in a run with that many steps. */
export function strideOf(steps: number): number {
  return Math.max(1, Math.ceil(steps / mostMarks))
}

/** The number of marks in a trail of that many steps. */
export function marksOf(steps: number): number {
  return Math.ceil(steps / strideOf(steps))
}

const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
