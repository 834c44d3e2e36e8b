/**
 * Keeps the lifetimes of a real server's keys equal to those in the model, although the clocks of
 * the two differ (docs/how-it-works/decisions/0005). First it compares the lifetimes that commands
 * have set. Then it deletes expired keys (also in the model, like a background cycle), and sets the
 * remaining lifetimes of the other keys.
 */
import type { Database } from 'redis-sim'
import type { Model } from '../model/model.ts'
import type { RealClient } from '../types.ts'
import { ask } from './real-redis.ts'

/** The minimum lifetime in milliseconds. A shorter one could end while commands are in flight. */
const shortestMs = 1000
/** After this much real time, lifetimes are set again even if the run's clock stands still. */
const renewedMs = shortestMs / 4
/**
 * A tolerance, because a server reads its clock in whole milliseconds, and uses another clock than
 * this process.
 */
const clockMs = 5

/** The remaining lifetime of a key. */
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
  /** True if the lifetime was not compared yet. */
  readonly isNew: boolean
  /** SELECT, PTTL, and the command that sets the key's lifetime to the present value. */
  readonly commands: readonly (readonly string[])[]
}

export class Lifetimes {
  /** The deadlines that were already compared, by database and key. */
  readonly #compared = new Map<string, number>()
  #broughtMs = 0
  /**
   * The last real time at which each key had its lifetime from the model, or a lifetime of at least
   * a second.
   */
  #givenAt: number
  /** A real time before the last command was sent. */
  #sentAt: number

  constructor(
    private readonly model: Model,
    private readonly control: RealClient,
  ) {
    this.#givenAt = this.#sentAt = control.nowMs()
  }

  /** Must be called before the run's next command is sent. */
  sending(): void {
    this.#sentAt = this.control.nowMs()
  }

  /**
   * Sets the lifetimes on the real server to the lifetimes at the model's present time. `lastMs`:
   * when the last command was executed. `too-short`: a new lifetime is too short to compare.
   * `stood-still`: this machine stalled so long that keys of any lifetime may have expired.
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
    // A watched key keeps its old lifetime until a later command, even after WATCH has ended.
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
   * True if a key that still exists in the model may have expired in real time. In that case,
   * replies prove nothing.
   */
  mayHaveEnded(): boolean {
    return this.lostMs >= shortestMs
  }

  /** The number of milliseconds by which remaining lifetimes may be shorter than in the model. */
  get lostMs(): number {
    return this.#sinceGivenMs() + clockMs
  }

  /**
   * True if a key's lifetime on the real server is known to differ from the model's, because it was
   * extended, or was not updated while the key was watched.
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

  /** The lifetimes that a command in the database would now read in the model. */
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
