/** What one process knows of a message's earlier deliveries: its own by memory, and by Redis whether others had it too. */
import type { Message, Outcome } from '../../../src/contract/api/message.ts'
import type { Around } from './per-fault.ts'

/** This process alone had the message before, and answered `done` every time. In milliseconds of its own clock. */
export interface Earlier {
  readonly sinceFirstMs: number
  readonly sinceLatestMs: number
  /** For how long it had had no message at all. A serial consumer that was busy is handed late what came in time. */
  readonly idleMs: number
}

interface Known {
  readonly firstMs: number
  readonly latestMs: number
  /** Deliveries that were not answered `done`, or not yet. */
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

  /** Null where there was none, or it was not as `Earlier` says. */
  async arrived({ id }: Message): Promise<Earlier | null> {
    const nowMs = performance.now()
    const idleMs = this.#handling++ === 0 ? nowMs - this.#idleSinceMs : 0
    const before = this.#known.get(id)
    this.#known.set(id, { firstMs: before?.firstMs ?? nowMs, latestMs: nowMs, undone: (before?.undone ?? 0) + 1 })
    const processes = `canary:had:${id}`
    // In one: a crash in between would leave a key behind that never expires.
    await this.#client.multi().sadd(processes, this.around.context.instanceId).pexpire(processes, 600_000).exec()
    if (before === undefined || before.undone > 0 || (await this.#client.scard(processes)) > 1) return null
    return { sinceFirstMs: nowMs - before.firstMs, sinceLatestMs: nowMs - before.latestMs, idleMs }
  }

  answered({ id }: Message, { status }: Outcome): void {
    if (status === 'done') this.#known.get(id)!.undone--
    if (--this.#handling === 0) this.#idleSinceMs = performance.now()
  }
}

/** In place of `handle`: sends the effect again where the message comes as `such` says. */
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
