/** Earlier deliveries of a message: this process's in memory, other processes' in Redis. */
import type { Message, Outcome } from '../../../src/contract/api/message.ts'
import type { Around } from './per-fault.ts'

/** Deliveries to this process only, all answered `done`. In ms of its monotonic clock. */
export interface Earlier {
  readonly sinceFirstMs: number
  readonly sinceLatestMs: number
  /**
   * The time without any message. A busy serial consumer may receive a message late although the
   * broker had it in time.
   */
  readonly idleMs: number
}

interface Known {
  readonly firstMs: number
  readonly latestMs: number
  /** Deliveries without a `done` so far. */
  undone: number
}

export class Deliveries {
  readonly #known = new Map<string, Known>()
  readonly #client: ReturnType<Around['open']>
  #handling = 0
  #idleSinceMs = performance.now()

  constructor(private readonly around: Around) {
    this.#client = around.open()
  }

  /** Returns null if there was no earlier delivery, or if one does not match `Earlier`. */
  async arrived({ id }: Message): Promise<Earlier | null> {
    const nowMs = performance.now()
    const idleMs = this.#handling++ === 0 ? nowMs - this.#idleSinceMs : 0
    const before = this.#known.get(id)
    this.#known.set(id, { firstMs: before?.firstMs ?? nowMs, latestMs: nowMs, undone: (before?.undone ?? 0) + 1 })
    const processes = `canary:had:${id}`
    // One transaction, because a crash in between would leave a key that never expires.
    await this.#client.multi().sadd(processes, this.around.context.instanceId).pexpire(processes, 600_000).exec()
    if (before === undefined || before.undone > 0 || (await this.#client.scard(processes)) > 1) return null
    return { sinceFirstMs: nowMs - before.firstMs, sinceLatestMs: nowMs - before.latestMs, idleMs }
  }

  answered({ id }: Message, { status }: Outcome): void {
    if (status === 'done') this.#known.get(id)!.undone--
    if (--this.#handling === 0) this.#idleSinceMs = performance.now()
  }
}

/** A `handle` that performs the effect again if the earlier deliveries match `such`. */
export function repeating(around: Around, such: (earlier: Earlier) => boolean) {
  const deliveries = new Deliveries(around)
  return async (message: Message, handle: (message: Message) => Promise<Outcome>): Promise<Outcome> => {
    const earlier = await deliveries.arrived(message)
    const { key, payload } = message
    if (earlier !== null && such(earlier)) await around.context.sink.perform({ key, payload })
    const outcome = await handle(message)
    deliveries.answered(message, outcome)
    return outcome
  }
}
