/** Decides whether a handler that has not answered can still answer. */

import type { Connection } from 'virtual-node/network'
import type { VirtualProcess } from 'virtual-node/runtime'
import type { Fact, Hang } from '../../contract/api/history.ts'
import type { StoreSite, StoreWait } from './store-site.ts'
import type { World } from './world-state.ts'

type Unanswered = Extract<Fact, { readonly type: 'unanswered' }>
type Store = Pick<StoreSite, 'waitsOf'>
const nothing: readonly StoreWait[] = []

/** A handler may still answer while a timer of this length or longer waits. */
const longMs = 60_000

/**
 * The run continues for this time, so that the consequences of a timer or connection that has just
 * ended are over.
 */
const lookUs = 120_000_000

export class HangingHandlers {
  /**
   * When the run would have ended, and which processes waited at that time for something that ends
   * by itself.
   */
  #begun: { readonly us: number; readonly timed: ReadonlySet<VirtualProcess> } | null = null

  constructor(
    private readonly world: Pick<World, 'kernel' | 'network' | 'runner'>,
    private readonly stores: readonly Store[],
    /**
     * A handler that waits for nothing hangs if this much time has passed since its call and since
     * the last fault.
     */
    readonly afterUs: number,
  ) {}

  /** True if each open message waits for a handler that hangs, and has waited long enough. */
  get areAll(): boolean {
    const { runner } = this.world
    return runner.isStuck(this.afterUs) && runner.slots.unanswered.every(({ process }) => !this.#mayAnswer(process))
  }

  /**
   * True if the run is over. If handlers have not answered, the run first continues for `lookUs`.
   */
  isSure(wouldBeOver: boolean): boolean {
    const { kernel, runner } = this.world
    const open = wouldBeOver ? runner.slots.unanswered : []
    if (open.length === 0) {
      this.#begun = null
      return wouldBeOver
    }
    if (this.#begun === null) {
      const timed = open.flatMap(({ process }) => (this.#mayAnswer(process) ? [process] : []))
      this.#begun = { us: kernel.nowUs, timed: new Set(timed) }
      kernel.schedule(lookUs, null, () => {})
    }
    return this.#hasLooked
  }

  get #hasLooked(): boolean {
    return this.#begun !== null && this.world.kernel.nowUs - this.#begun.us >= lookUs
  }

  #wasTimed(process: VirtualProcess): boolean {
    return !this.#hasLooked || this.#begun!.timed.has(process)
  }

  /** `nothingLeft`: true if no event is left in the whole world. */
  facts(nothingLeft: boolean): Unanswered[] {
    const { injection, slots } = this.world.runner
    const isQuiet = injection.allStruck && injection.allHealed && !injection.anyInForce
    return slots.unanswered.map(({ process, deliveryId, receivedUs }) => {
      const sinceUs = Math.max(receivedUs, injection.changedUs)
      const isLong = this.world.kernel.nowUs - sinceUs > this.afterUs
      const isOver = nothingLeft || (isLong && !this.#wasTimed(process))
      const hangs = isQuiet && isOver && process.state === 'running' && !this.#mayAnswer(process)
      const fact = { type: 'unanswered' as const, deliveryId, process: process.name, receivedUs }
      return hangs ? { ...fact, hangs: { ...(nothingLeft ? { nothingLeft } : {}), ...this.#hangOf(process) } } : fact
    })
  }

  #mayAnswer(process: VirtualProcess): boolean {
    return (
      this.#connectionsOf(process).some(({ isTimed }) => isTimed) ||
      this.#waitsOf(process).some(({ endsByItself }) => endsByItself) ||
      [...process.waitingTimers].some((timer) => timer.delayMs >= longMs && !this.#hasShown(timer))
    )
  }

  /**
   * True for an interval that has fired before: its callback did not make the handler answer. A
   * timeout fires only once.
   */
  #hasShown({ delayMs, repeat }: { readonly delayMs: number; readonly repeat: boolean }): boolean {
    return repeat && this.world.kernel.wentOffUs.has(delayMs)
  }

  #waitsOf(process: VirtualProcess): StoreWait[] {
    return this.stores.flatMap((store) => store.waitsOf?.(process) ?? nothing)
  }

  #connectionsOf(process: VirtualProcess): Connection[] {
    return [...this.world.network.connections].filter((one) => one.process === process)
  }

  #hangOf(process: VirtualProcess): Hang {
    const waits = this.#waitsOf(process)
    const blockedBy = waits.find(({ command }) => command !== undefined)?.command
    const channels = [...new Set(waits.flatMap(({ channel }) => channel ?? []))]
    const isForgotten = this.#connectionsOf(process).some((one) => one.isForgotten)
    return {
      ...(blockedBy === undefined ? {} : { blockedBy }),
      ...(channels.length === 0 ? {} : { channels }),
      ...(isForgotten ? { forgotten: true as const } : {}),
    }
  }
}
