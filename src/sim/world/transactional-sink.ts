import { assert } from 'virtual-node/assert'
import type { VirtualProcess } from 'virtual-node/runtime'
import { VirtualTimeout } from 'virtual-node/runtime'
import { canonicalJson } from '../../contract/api/json.ts'
import type { EffectRequest, EffectStatement, Receipt } from '../../contract/api/sink.ts'
import type { Effects } from '../../run/effects.ts'
import { type EffectGift, givenFor } from '../../run/sink/effect-gift.ts'
import { effectStatement, receiptOf } from '../../run/sink/effects-table.ts'
import { answerText, errorOf, type SinkReply } from '../../run/sink/sink-errors.ts'
import type { World } from './world-state.ts'

interface HandedOut {
  readonly requestId: number
  readonly receipt: Receipt
  /** The payload as the row has it. */
  readonly text: string
  readonly process: VirtualProcess
}

/** A row of the table of effects, by column names. */
type EffectRow = Readonly<Record<string, string | null>>

interface SinkRun {
  readonly world: World
  readonly effects: () => Effects<VirtualProcess>
}

/**
 * The sink of kind `transactional`. It returns statements. It receives effects from the database
 * when their transactions have committed and are durable. The work on an effect (`effectMs`) is
 * done before the caller gets the statement. A sink that refuses or fails returns no statement. Not
 * implemented: a statement that the database refuses.
 */
export class TransactionalSink {
  readonly #handedOut = new Map<string, HandedOut>()
  /** Null once the run is over. */
  #running: SinkRun | null

  constructor(running: SinkRun) {
    this.#running = running
  }

  get #run(): SinkRun {
    if (this.#running === null) throw new Error('the run is over: its sink is closed')
    return this.#running
  }

  /**
   * Called when the run is over; see `VirtualProcess.dispose`. Layers still reference their sink.
   */
  dispose(): void {
    this.#running = null
    this.#handedOut.clear()
  }

  /** Must be called in a turn of the process. */
  async statement(process: VirtualProcess, { key, payload }: EffectRequest): Promise<EffectStatement> {
    const { world, effects } = this.#run
    const { beforeMs, afterMs } = world.plan.work ?? { beforeMs: 0, afterMs: 0 }
    // A copy, as if sent over the network: later changes by the caller have no effect.
    const text = canonicalJson(payload)
    await new Promise<void>((resolve) => {
      new VirtualTimeout(process, beforeMs + world.plan.effectMs + afterMs, false, resolve)
    })
    const requestId = effects().nextRequestId()
    world.sent?.requested(requestId)
    const receipt = receiptOf(requestId, key, text)
    assert(!this.#handedOut.has(receipt.effectId), 'each statement has its own effect')
    this.#handedOut.set(receipt.effectId, { requestId, process, receipt, text })
    const request = { requestId, key, payload: receipt.payload! }
    const sent = world.guardHarnessCode(() => world.now(effects().sent(process, request)))
    const instead = effects().inPlaceOfStatement(process, request, sent)
    if (instead !== null) return this.#rejects(process, requestId, instead)
    if (sent.verdict !== 'pass') return new Promise<never>(() => {})
    return effectStatement(receipt, text, this.#gift(receipt))
  }

  #rejects(process: VirtualProcess, requestId: number, reply: SinkReply): never {
    const error = errorOf(reply)
    this.#run.effects().answered(process, requestId, answerText(error))
    throw error
  }

  #gift(receipt: Receipt): EffectGift | undefined {
    const { results } = this.#run.world.plan
    return results === undefined ? undefined : givenFor(results, receipt)
  }

  /**
   * @returns the request whose effect is this row of the table; null if the row differs from the
   *   statement
   */
  requestOf(row: EffectRow): number | null {
    return this.#handedOutAs(row)?.requestId ?? null
  }

  /** A row of the table is durable. @returns false if the row differs from the statement */
  committed(row: EffectRow): boolean {
    const handedOut = this.#handedOutAs(row)
    if (handedOut === null) return false
    const { process, requestId, receipt } = handedOut
    this.#run.effects().committed(process, requestId, receipt, this.#gift(receipt))
    return true
  }

  #handedOutAs({ effect_id: effectId, key, payload }: EffectRow): HandedOut | null {
    const one = this.#handedOut.get(effectId!)
    return one !== undefined && one.receipt.key === key && one.text === payload ? one : null
  }

  /** The process has received the confirmation of the commit. */
  heard(requestId: number): void {
    const { process } = [...this.#handedOut.values()].find((one) => one.requestId === requestId)!
    this.#run.effects().answered(process, requestId, { answer: 'receipt' })
  }
}
