import { mixed } from './digest.ts'

/** Marks that a trail keeps at most: a token has room for as many. */
const mostMarks = 160

/**
 * What a run keeps of the names of its choices and of what was chosen, in order: at each step of a
 * consumer six bits of a hash of all choices so far. Two runs went the same way up to the first
 * mark that differs; one difference in 64 shows one step late.
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
   * One character a mark. A run with many steps keeps one for each `strideOf` of them, and the last
   * one.
   */
  get text(): string {
    return this.#kept(this.length)
  }

  /**
   * How many of the steps of a run that had `of` and left the trail `recorded` were made here too,
   * as far as marks tell.
   */
  followed(recorded: string, of: number): number {
    const here = this.#kept(of)
    const left = [...recorded].findIndex((mark, at) => mark !== here[at])
    return left === -1 ? of : left * strideOf(of)
  }

  /** The marks that a run of so many steps keeps, as far as there are any here. */
  #kept(of: number): string {
    const stride = strideOf(of)
    return this.#marks.map((mark, at) => ((at + 1) % stride === 0 || at === of - 1 ? digits[mark] : '')).join('')
  }
}

/**
 * Whether a choice is a step of the trail: of a consumer, its links or the broker. Choices of
 * servers among themselves, and those about the set-up of connections, are not: there are many of
 * them, and none says much to a person.
 */
export function isStep(stream: string, about: string | null): boolean {
  return /^(consumer-|broker$|poison$)/.test(stream) && (about === null || !/^[a-z]/.test(about))
}

/** How many steps one mark of a trail stands for, in a run with that many. */
export function strideOf(steps: number): number {
  return Math.max(1, Math.ceil(steps / mostMarks))
}

/** How many marks a trail of so many steps has. */
export function marksOf(steps: number): number {
  return Math.ceil(steps / strideOf(steps))
}

const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
