/**
 * Keeps the keys of a real server as old as those of the model, whose clock runs differently
 * (docs/how-it-works/decisions/0005). It first compares the lifetimes that commands gave. Then it
 * deletes expired keys (in the model too, as a background cycle would), and sets the remaining
 * lifetime of the others.
 */
import type { Database } from 'redis-sim'
import type { Model } from '../model/model.ts'
import type { RealClient } from '../types.ts'
import { ask } from './real-redis.ts'

/** A lifetime of less would end while commands are on their way. */
const shortestMs = 1000
/** Once this much of it is over, lifetimes are given again, though the run's clock stands still. */
const renewedMs = shortestMs / 4
/** A server reads its clock in whole milliseconds, and by another clock than this process. */
const clockMs = 5

/** What a key has left to live. */
export interface Lifetime {
  readonly key: string
  readonly ms: number
}

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
  /**
   * In real time: when every key had the lifetime that it has in the model, or a second at least.
   */
  #givenAt: number
  /** In real time: when the last command had not been sent. */
  #sentAt: number

  constructor(
    private readonly model: Model,
    private readonly control: RealClient,
  ) {
    this.#givenAt = this.#sentAt = control.nowMs()
  }

  /** The run's next command is about to be sent. */
  sending(): void {
    this.#sentAt = this.control.nowMs()
  }

  /**
   * To the model's present time; `lastMs`: when the last command was executed. `stood-still`: this
   * machine took so long that keys may have gone meanwhile, whatever lifetime they were given.
   */
  async bring(lastMs: number): Promise<LifetimeDifference | 'too-short' | 'stood-still' | null> {
    const { nowMs } = this.model
    const moved = Math.abs(nowMs - this.#broughtMs) >= 2 || this.#sinceGivenMs() >= renewedMs
    const askedAt = this.control.nowMs()
    const asked: Asked[] = []
    let anyWatched = false
    for (const { index, entries, watchers } of this.model.server.keyspace.used())
      for (const [key, { expireAtMs }] of entries) {
        const deadline = Number(expireAtMs)
        const name = `${index} ${key}`
        const isNew = this.#compared.get(name) !== deadline
        if (deadline === -1 || (!moved && !isNew && nowMs <= deadline)) continue
        if (isNew && deadline - lastMs < shortestMs / 2) return 'too-short'
        const isWatched = watchers.has(key)
        anyWatched ||= isWatched
        const change = nowMs > deadline ? ['DEL', key] : this.#prolong(key, deadline, isWatched)
        asked.push({ key, deadline, isNew, commands: [['SELECT', String(index)], ['PTTL', key], change] })
        this.#compared.set(name, deadline)
      }
    this.model.server.dropExpired()
    // A watched key keeps its old time, also after WATCH has ended, until a later command.
    if (moved && !anyWatched) this.#broughtMs = nowMs
    const replies =
      asked.length === 0
        ? []
        : await ask(
            this.control,
            asked.flatMap(({ commands }) => commands),
          )
    const judged = this.#judge(asked, replies, lastMs)
    if (judged === null && moved && !anyWatched) this.#givenAt = askedAt
    return judged
  }

  /**
   * Whether some key may have gone in real time that is still there in the model: replies say
   * nothing then.
   */
  mayHaveEnded(): boolean {
    return this.lostMs >= shortestMs
  }

  /** How much less than in the model keys may have left to live, in milliseconds. */
  get lostMs(): number {
    return this.#sinceGivenMs() + clockMs
  }

  /**
   * Whether some key's lifetime cannot be told apart from the model's: it was given another one
   * here, or none when its time moved on.
   */
  anyUnreported(): boolean {
    const { nowMs, server } = this.model
    return server.keyspace
      .used()
      .some(({ entries, watchers }) =>
        [...entries].some(
          ([key, { expireAtMs }]) =>
            expireAtMs !== -1 && (Number(expireAtMs) - nowMs < shortestMs || watchers.has(key)),
        ),
      )
  }

  /** The lifetimes that a command in that database would read in the model now. */
  reported({ entries }: Database): Lifetime[] {
    const { nowMs } = this.model
    return [...entries].flatMap(([key, { expireAtMs }]) =>
      expireAtMs === -1 ? [] : [{ key, ms: Number(expireAtMs) - nowMs }],
    )
  }

  #sinceGivenMs(): number {
    return this.control.nowMs() - this.#givenAt
  }

  #prolong(key: string, deadline: number, watched: boolean): string[] {
    if (watched) return ['EXISTS', key]
    return ['PEXPIRE', key, String(Math.max(shortestMs, deadline - this.model.nowMs)), 'XX']
  }

  #judge(
    asked: readonly Asked[],
    replies: readonly string[],
    lastMs: number,
  ): LifetimeDifference | 'stood-still' | null {
    const sinceSentMs = this.control.nowMs() - this.#sentAt
    for (const [at, { key, deadline, isNew }] of asked.entries()) {
      const [left, changed] = replies.slice(3 * at + 1, 3 * at + 3).map((reply) => Number(reply.slice(1))) as [
        number,
        number,
      ]
      const expected = deadline - lastMs
      const least = expected - sinceSentMs - clockMs
      if (left >= 0 && changed === 1 && (!isNew || (left >= least && left <= expected + clockMs))) continue
      if ((left === -2 || changed !== 1) && (isNew ? least <= 0 : this.mayHaveEnded())) return 'stood-still'
      const real = left === -2 ? 'no such key' : left === -1 ? 'no deadline' : `${left} ms to live`
      return { key, real, model: `${expected} ms to live` }
    }
    return null
  }
}
