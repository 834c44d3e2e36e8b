/** What becomes of requests at the sink: the same boundaries and rulings as in the simulator. */
import { canonicalJson } from '../contract/json.ts'
import type { Boundary } from '../contract/plan.ts'
import type { Passing } from './boundaries.ts'
import type { ConsumerProcess } from './consumer-process.ts'
import type { SinkReply } from './protocol.ts'
import type { LiveRecorder } from './recorder.ts'
import type { LiveLedger } from './sink/ledger.ts'
import type { PerformRequest, SinkHandlers } from './sink/service.ts'
import type { LiveTimers } from './timers.ts'

interface EffectsOwner {
  readonly recorder: LiveRecorder
  readonly timers: LiveTimers
  readonly effectMs: number
  /** All boundaries of effects end here; the process may be gone. */
  rule(process: ConsumerProcess, boundary: Boundary, label: null): Promise<Passing>
  sinkFailsOn(key: string): boolean
  deliveryOf(process: ConsumerProcess, key: string): number | null
}

export class Effects implements SinkHandlers {
  readonly #senders = new Map<number, ConsumerProcess>()
  #requests = 0
  /** Requests that the sink works on. */
  underWay = 0

  constructor(
    private readonly owner: EffectsOwner,
    private readonly ledger: LiveLedger,
  ) {}

  /** `perform` was called: from here on a request may leave the process. */
  sent(process: ConsumerProcess, what: { key: string; fingerprint: string; fence?: number }): number {
    const requestId = ++this.#requests
    this.#senders.set(requestId, process)
    const { key, fingerprint, fence } = what
    const fenced = fence === undefined ? {} : { fence }
    const deliveryId = this.owner.deliveryOf(process, key)
    this.owner.recorder.fact({
      ...{ type: 'effect-sent', requestId, deliveryId, process: process.name, key, fingerprint },
      ...fenced,
    })
    return requestId
  }

  raise(key: string, fence: number) {
    return this.ledger.raise(key, fence)
  }

  lookup(key: string) {
    return this.ledger.lookup(key)
  }

  async perform(request: PerformRequest): Promise<SinkReply | 'fail' | null> {
    const { recorder, timers, effectMs } = this.owner
    const { requestId, key } = request
    const process = this.#senders.get(requestId)
    if (process === undefined) return null
    this.underWay++
    try {
      const before = await this.owner.rule(process, 'effect-unapplied', null)
      if (before.verdict === 'drop') return null
      if (before.verdict === 'fail' || this.owner.sinkFailsOn(key)) return 'fail'
      await new Promise<void>((resolve) => timers.after(effectMs + before.slowMs, resolve))
      if (before.verdict !== 'refuse') return await this.#apply(process, request)
      recorder.fact({ type: 'effect-refused', requestId, key, reason: 'refused' })
      return { status: 'refused' }
    } finally {
      this.underWay--
    }
  }

  async #apply(process: ConsumerProcess, request: PerformRequest): Promise<SinkReply | 'fail' | null> {
    const { recorder } = this.owner
    const { requestId, key, payload, fence } = request
    const answer = await this.ledger.perform({ key, payload, ...(fence === undefined ? {} : { fence }) })
    if (answer.status === 'stale-fence') {
      recorder.fact({ type: 'effect-refused', requestId, key, reason: 'fence' })
      return { status: 'stale-fence', highest: answer.highest }
    }
    const { receipt } = answer
    if (answer.status === 'deduplicated')
      recorder.fact({ type: 'effect-deduplicated', requestId, key, effectId: receipt.effectId })
    else {
      const fenced = fence === undefined ? {} : { fence }
      const what = { requestId, process: process.name, key, fingerprint: canonicalJson(payload), receipt, ...fenced }
      recorder.fact({ type: 'effect-applied', ...what })
    }
    const after = await this.owner.rule(process, 'effect-applied', null)
    if (after.verdict === 'fail') return 'fail'
    return after.verdict === 'pass' ? { status: 'applied', receipt } : null
  }
}
