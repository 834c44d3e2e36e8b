import type { EffectRequest, LookupAnswer, RaiseAnswer, Receipt, SinkKind } from '../../contract/sink.ts'
import { Ledger } from './ledger.ts'

/** What the sink makes of one request to perform. */
export type PerformAnswer =
  | { readonly status: 'applied'; readonly receipt: Receipt }
  | { readonly status: 'deduplicated'; readonly receipt: Receipt }
  | { readonly status: 'stale-fence'; readonly highest: number }

/**
 * The outside world that effects reach: a payment gateway, a mail server. Each request is handled atomically.
 * Left out: that it forgets keys or fences, that it is several machines.
 */
export class SinkServer {
  readonly #ledger = new Ledger()

  constructor(readonly kind: SinkKind) {}

  perform({ key, payload, fence }: EffectRequest): PerformAnswer {
    if (this.kind === 'keyed') {
      const receipt = this.#ledger.first(key)
      if (receipt !== undefined) return { status: 'deduplicated', receipt }
    }
    if (this.kind === 'fenced' && fence !== undefined) {
      const highest = this.#ledger.highestFence(key)
      if (fence < highest) return { status: 'stale-fence', highest }
      this.#ledger.raiseFence(key, fence)
    }
    return { status: 'applied', receipt: this.#ledger.apply(key, payload) }
  }

  raise(key: string, fence: number): RaiseAnswer {
    const highest = this.#ledger.highestFence(key)
    if (fence <= highest) return { status: 'refused', highest }
    this.#ledger.raiseFence(key, fence)
    const receipt = this.#ledger.first(key)
    return receipt === undefined ? { status: 'clear' } : { status: 'applied', receipt }
  }

  lookup(key: string): LookupAnswer {
    const receipt = this.#ledger.first(key)
    return receipt === undefined ? { status: 'absent' } : { status: 'applied', receipt }
  }
}
