/**
 * The random interval of a Sentinel's timer: 10 to 19 ticks per second. The intervals come from a
 * linear congruential generator, which is seeded with one number from the environment and the
 * Sentinel's id. If the environment drew each interval, these choices would outnumber all other
 * recorded choices.
 */
export class Desync {
  private constructor(private state: number) {}

  static of(id: string, seed: number): Desync {
    let state = seed
    for (const char of id) state = (Math.imul(state, 31) + char.charCodeAt(0)) | 0
    return new Desync(state)
  }

  /** A copy that continues the same sequence. */
  clone(): Desync {
    return new Desync(this.state)
  }

  /** Milliseconds until the next tick. Source: 1000 / hz in integers. */
  tickMs(): number {
    return Math.floor(1000 / (10 + this.below(10)))
  }

  /** An integer in [0, n), for n up to 65536. */
  private below(n: number): number {
    this.state = (Math.imul(this.state, 1103515245) + 12345) | 0
    return (this.state >>> 16) % n
  }
}
