import type { JsonValue } from '../../contract/json.ts'
import type { Receipt } from '../../contract/sink.ts'

interface KeyState {
  receipts: Receipt[]
  highestFence: number
}

/** What the outside world knows: every effect that was applied. The truth that verdicts are about. */
export class Ledger {
  readonly #keys = new Map<string, KeyState>()
  #effects = 0

  #state(key: string): KeyState {
    let state = this.#keys.get(key)
    if (state === undefined) this.#keys.set(key, (state = { receipts: [], highestFence: 0 }))
    return state
  }

  apply(key: string, payload: JsonValue): Receipt {
    const receipt: Receipt = { effectId: `effect-${++this.#effects}`, key, payload }
    this.#state(key).receipts.push(receipt)
    return receipt
  }

  first(key: string): Receipt | undefined {
    return this.#keys.get(key)?.receipts[0]
  }

  highestFence(key: string): number {
    return this.#keys.get(key)?.highestFence ?? 0
  }

  raiseFence(key: string, fence: number): void {
    const state = this.#state(key)
    if (fence > state.highestFence) state.highestFence = fence
  }
}
