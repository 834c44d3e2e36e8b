/**
 * Keeps the lease of one attempt alive, and signals when that fails. Only the store decides who
 * holds a key; this object's view only avoids useless work, and errs towards "lost".
 */
import type { Notify } from './events.ts'
import type { RecordStore } from './layer.ts'
import type { Settings } from './options.ts'
import type { Hold } from './records.ts'

export class Lease {
  readonly #records: RecordStore
  readonly #hold: Hold
  readonly #leaseMs: number
  readonly #notify: Notify
  #lost: Error | undefined
  #listener: (() => void) | undefined
  /** Created when `signal` is first read, because it takes longer than the rest of a lease. */
  #controller: AbortController | undefined
  #untilMs: number
  #heartbeat: NodeJS.Timeout | undefined
  #end: NodeJS.Timeout | undefined

  constructor(records: RecordStore, hold: Hold, { leaseMs, notify }: Pick<Settings, 'leaseMs' | 'notify'>) {
    this.#records = records
    this.#hold = hold
    this.#leaseMs = leaseMs
    this.#notify = notify
    this.#untilMs = hold.sinceMs + leaseMs
    this.#schedule()
  }

  /** Fires when the lease was lost, or has ended without a renewal. */
  get signal(): AbortSignal {
    this.#controller ??= new AbortController()
    if (this.#lost !== undefined) this.#controller.abort(this.#lost)
    return this.#controller.signal
  }

  /** Calls the listener when `signal` fires, at once if it already has. At most one listener. */
  whenLost(listener: () => void): void {
    if (this.#lost !== undefined) listener()
    else this.#listener = listener
  }

  /**
   * Uses the clock, not the timer: a process that was paused has not yet run the timers that it
   * missed.
   */
  get alive(): boolean {
    return this.#lost === undefined && performance.now() < this.#untilMs
  }

  stop(): void {
    clearTimeout(this.#heartbeat)
    clearTimeout(this.#end)
    this.#heartbeat = this.#end = undefined
  }

  #schedule(): void {
    this.#heartbeat = setTimeout(() => void this.#renew(), this.#leaseMs / 3)
    this.#end = setTimeout(() => this.#lose('the lease ended before it could be renewed'), this.#leftMs())
  }

  #leftMs(): number {
    return Math.max(0, this.#untilMs - performance.now())
  }

  async #renew(): Promise<void> {
    const renewal = await this.#records.renew(this.#hold)
    if (this.#end === undefined) return
    if (renewal.status === 'lost') return this.#lose('another attempt may hold the key')
    if (renewal.status === 'renewed') {
      this.#untilMs = renewal.sinceMs + this.#leaseMs
      this.#notify({ type: 'renewed', key: this.#hold.key, fence: this.#hold.fence })
    }
    clearTimeout(this.#end)
    this.#schedule()
  }

  #lose(why: string): void {
    this.stop()
    const cause = new Error(`lease lost: ${why}`)
    this.#lost = cause
    this.#listener?.()
    this.#controller?.abort(cause)
    this.#notify({ type: 'lease-lost', key: this.#hold.key, fence: this.#hold.fence, cause })
  }
}
