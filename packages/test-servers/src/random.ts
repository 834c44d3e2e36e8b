import { uniformInt } from 'pure-rand/distribution/uniformInt'
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus'

/** Seeded random numbers for the generators. A seed gives the same sequence on every machine. */
export class Random {
  private readonly generator

  constructor(seed: number) {
    this.generator = xoroshiro128plus(seed)
  }

  /** An integer in [0, n). */
  below(n: number): number {
    return uniformInt(this.generator, 0, n - 1)
  }

  chance(percent: number): boolean {
    return this.below(100) < percent
  }

  pick<T>(from: readonly T[]): T {
    return from[this.below(from.length)]!
  }

  /** One of the values, with a probability in proportion to its weight. */
  weighted<T>(choices: readonly (readonly [weight: number, value: T])[]): T {
    let at = this.below(choices.reduce((sum, [weight]) => sum + weight, 0))
    for (const [weight, value] of choices) if ((at -= weight) < 0) return value
    throw new Error('weights must be positive')
  }
}
