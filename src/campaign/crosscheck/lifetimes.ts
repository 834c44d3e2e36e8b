/**
 * Keeps the keys of a real server as old as those of the model, whose clock runs differently (docs/decisions/0005). It
 * first compares the lifetimes that commands gave. Then it deletes expired keys (in the model too, as a background
 * cycle would), and sets the remaining lifetime of the others.
 */
import type { Model } from './model.ts'
import { ask, type RealClient } from './real-redis.ts'

/** A lifetime of less would end while commands are on their way. */
const shortestMs = 1000
/** How far two readings of one lifetime may be apart. */
const toleranceMs = 300

export interface LifetimeDifference {
  readonly key: string
  readonly real: string
  readonly model: string
}

interface Asked {
  readonly key: string
  readonly deadline: number
  /** Not compared yet. */
  readonly isNew: boolean
  /** SELECT, PTTL, and what brings the key to the present. */
  readonly commands: readonly (readonly string[])[]
}

export class Lifetimes {
  /** By database and key: the deadline that was compared already. */
  readonly #compared = new Map<string, number>()
  #broughtMs = 0

  constructor(
    private readonly model: Model,
    private readonly control: RealClient,
  ) {}

  /** To the model's present time; `lastMs`: when the last command was executed. */
  async bring(lastMs: number): Promise<LifetimeDifference | 'too-short' | null> {
    const { nowMs } = this.model
    const moved = Math.abs(nowMs - this.#broughtMs) >= 2
    const asked: Asked[] = []
    for (const { index, entries, watchers } of this.model.server.keyspace.used())
      for (const [key, { expireAtMs }] of entries) {
        const deadline = Number(expireAtMs)
        const name = `${index} ${key}`
        const isNew = this.#compared.get(name) !== deadline
        if (deadline === -1 || (!moved && !isNew && nowMs <= deadline)) continue
        if (isNew && deadline - lastMs < shortestMs / 2) return 'too-short'
        const change = nowMs > deadline ? ['DEL', key] : this.#prolong(key, deadline, watchers.has(key))
        asked.push({ key, deadline, isNew, commands: [['SELECT', String(index)], ['PTTL', key], change] })
        this.#compared.set(name, deadline)
      }
    this.model.server.dropExpired()
    if (moved) this.#broughtMs = nowMs
    if (asked.length === 0) return null
    const replies = await ask(
      this.control,
      asked.flatMap(({ commands }) => commands),
    )
    return this.#judge(asked, replies, lastMs)
  }

  /** Whether some key has less left than it is given here: its lifetime cannot be told apart from the model's. */
  anyEndsSoon(): boolean {
    const { nowMs, server } = this.model
    return server.keyspace
      .used()
      .some(({ entries }) =>
        [...entries.values()].some(({ expireAtMs }) => expireAtMs !== -1 && Number(expireAtMs) - nowMs < shortestMs),
      )
  }

  #prolong(key: string, deadline: number, watched: boolean): string[] {
    if (watched) return ['EXISTS', key]
    return ['PEXPIRE', key, String(Math.max(shortestMs, deadline - this.model.nowMs)), 'XX']
  }

  #judge(asked: readonly Asked[], replies: readonly string[], lastMs: number): LifetimeDifference | null {
    for (const [at, { key, deadline, isNew }] of asked.entries()) {
      const [left, changed] = replies.slice(3 * at + 1, 3 * at + 3).map((reply) => Number(reply.slice(1))) as [
        number,
        number,
      ]
      const expected = deadline - lastMs
      if (left >= 0 && changed === 1 && (!isNew || Math.abs(left - expected) <= toleranceMs)) continue
      const real = left === -2 ? 'no such key' : left === -1 ? 'no deadline' : `${left} ms to live`
      return { key, real, model: `${expected} ms to live` }
    }
    return null
  }
}
