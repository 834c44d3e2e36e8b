import { assert } from 'virtual-node/assert'

/** Poisonous keys, and how often each will still do harm. */
export class Poisons {
  readonly #left = { kills: new Map<string, number>(), 'sink-fails': new Map<string, number>() }

  add(key: string, how: 'kills' | 'sink-fails', times: number): void {
    assert(times > 0, 'a poison message does harm at least once')
    this.#left[how].set(key, times + (this.#left[how].get(key) ?? 0))
  }

  /** True if the key does harm now. Decreases the number of times that are left. */
  take(key: string, how: 'kills' | 'sink-fails'): boolean {
    const times = this.#left[how].get(key) ?? 0
    if (times > 0) this.#left[how].set(key, times - 1)
    return times > 0
  }
}
